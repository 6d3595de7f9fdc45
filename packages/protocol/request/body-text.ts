import type { SentBody } from './sent-body.js';

/** A body without its messages. */
export type BodyFrame = Pick<SentBody, 'options' | 'markers'> & { readonly system: string; readonly tools: string };

/** Tools of a request that offers none. */
export const NO_TOOLS = '[]';

/** The body as it is sent, from messages as JSON with their markers. One join, since copying the text is what costs time here. */
export function bodyText(frame: BodyFrame, messages: readonly string[]): string {
  const { before, after } = around(frame);
  const [first = '', ...others] = messages;
  const last = others.pop();
  return last === undefined ? before + first + after : [before + first, ...others, last + after].join(',');
}

/** The same in UTF-8. `messages`: separated by commas they are all messages. */
export function bodyBytes(frame: BodyFrame, messages: readonly (string | Uint8Array)[]): Uint8Array {
  const { before, after } = around(frame);
  const pieces = messages.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
  const encoded = [before, ...pieces, after].map((piece) => (typeof piece === 'string' ? utf8.encode(piece) : piece));
  const bytes = new Uint8Array(encoded.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const piece of encoded) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

const utf8 = new TextEncoder();
const COMMA = utf8.encode(',');

/** What stands before the messages of a body, and after them. */
function around({ options, system, tools, markers }: BodyFrame): { readonly before: string; readonly after: string } {
  const marked = markers?.system === true ? cacheControl(markers.marker) : '';
  const prompt = system === '' ? '' : `,"system":[{"type":"text","text":${JSON.stringify(system)}${marked}}]`;
  const before = `${options}${prompt},"messages":[`;
  const after = tools === NO_TOOLS ? ']}' : `],"tools":${toolsText(tools, markers)}}`;
  return { before, after };
}

/** A message with content, as JSON, with the marker in its last block. */
export const markedText = (message: string, marker: string): string => `${message.slice(0, -END.length)}${cacheControl(marker)}${END}`;

/** How the JSON of a message with content ends. */
const END = '}]}';

function toolsText(tools: string, markers: SentBody['markers']): string {
  if (markers === null || markers.tools === null) return tools;
  return `${tools.slice(0, markers.tools)}${cacheControl(markers.marker)}${tools.slice(markers.tools)}`;
}

const cacheControl = (marker: string): string => `,"cache_control":${marker}`;
