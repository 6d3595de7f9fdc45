import type { SentBody } from './sent-body.js';

/** A body without its messages. */
export type BodyFrame = Pick<SentBody, 'options' | 'markers'> & { readonly system: string; readonly tools: string };

/** Tools of a request that offers none. */
export const NO_TOOLS = '[]';

/** The body as it is sent, from messages as JSON with their markers. One join, since copying the text is what costs time here. */
export function bodyText({ options, system, tools, markers }: BodyFrame, messages: readonly string[]): string {
  const marked = markers?.system === true ? cacheControl(markers.marker) : '';
  const prompt = system === '' ? '' : `,"system":[{"type":"text","text":${JSON.stringify(system)}${marked}}]`;
  const before = `${options}${prompt},"messages":[`;
  const after = tools === NO_TOOLS ? ']}' : `],"tools":${toolsText(tools, markers)}}`;
  const [first = '', ...others] = messages;
  const last = others.pop();
  return last === undefined ? before + first + after : [before + first, ...others, last + after].join(',');
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
