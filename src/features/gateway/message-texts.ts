import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { eachItem, endOfValue } from '../../../packages/protocol/message/json-scan.js';
import { contentText, noteInputs } from '../../../packages/protocol/message/written-input.js';
import { MAX_CACHE_MARKERS } from '../../../packages/normalizer/models/profiles.js';

/** The text of a body, cut around its messages. */
export interface SplitBody {
  readonly before: string;
  /** Each message as it is written. */
  readonly messages: readonly string[];
  readonly after: string;
}

/** The text must be JSON, and an object with a list of messages. Of several members with this name, the last counts, as for every parser. */
export function splitBody(text: string): SplitBody {
  let found: SplitBody = { before: text, messages: [], after: '' };
  eachItem(text, text.indexOf('{'), ({ name, at }) => {
    const end = endOfValue(text, at);
    if (name !== 'messages' || text[at] !== '[') return end;
    const messages: string[] = [];
    eachItem(text, at, (item) => {
      const last = endOfValue(text, item.at);
      messages.push(text.slice(item.at, last));
      return last;
    });
    found = { before: text.slice(0, at + 1), messages, after: text.slice(end - 1) };
    return end;
  });
  return found;
}

/** The body with another value of a member, which it must have. */
export function withMember(text: string, member: string, value: string): string {
  let found = text;
  eachItem(text, text.indexOf('{'), ({ name, at }) => {
    const end = endOfValue(text, at);
    if (name === member) found = text.slice(0, at) + value + text.slice(end);
    return end;
  });
  return found;
}

export const joinBody = ({ before, after }: SplitBody, messages: readonly string[]): string => before + messages.join(',') + after;

/** A message, with the inputs of its calls as they are written. */
export function readMessage(text: string): UnknownObject {
  const message = JSON.parse(text) as UnknownObject;
  noteInputs(message, text);
  return message;
}

/** The message as JSON; the inputs of its calls as they were written. */
export function writeMessage(message: UnknownObject): string {
  const { content } = message;
  return Array.isArray(content) && content.every(isObject) ? contentText(message as never) : JSON.stringify(message);
}

type Marker = unknown;

/** The last cache marker of a message; undefined: it has none. */
export const markerOf = (message: UnknownObject): Marker => markersIn(message['content']).at(-1);

function markersIn(content: unknown): readonly Marker[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).flatMap((block) => [...markersIn(block['content']), ...(isObject(block['cache_control']) ? [block['cache_control']] : [])]);
}

/** Without cache markers. Returns the same message when it has none. */
export function withoutMarkers(message: UnknownObject): UnknownObject {
  return markersIn(message['content']).length === 0 ? message : { ...message, content: unmarked(message['content']) };
}

function unmarked(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) => {
    if (!isObject(block)) return block;
    const { cache_control: _, ...rest } = block;
    return 'content' in rest ? { ...rest, content: unmarked(rest['content']) } : rest;
  });
}

/** With a cache marker on its last block, where one may be. */
export function withMarker(message: UnknownObject, marker: Marker): UnknownObject {
  const { content } = message;
  const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
  if (!Array.isArray(content) || !isObject(last) || String(last['type']).endsWith('thinking')) return message;
  return { ...message, content: content.with(-1, { ...last, cache_control: marker }) };
}

/** Removes cache markers from the oldest messages until the request has no more than it may have. `texts`: its messages as they are written. */
export function withinMarkers({ system, tools }: UnknownObject, texts: readonly string[]): readonly string[] {
  const values = texts.map((text) => (text.includes('"cache_control"') ? readMessage(text) : {}));
  const counts = values.map(({ content }) => markersIn(content).length);
  let excess = counts.reduce((sum, count) => sum + count, markersIn(system).length + markersIn(tools).length - MAX_CACHE_MARKERS);
  if (excess <= 0) return texts;
  return texts.map((text, index) => {
    const count = counts[index]!;
    if (excess <= 0 || count === 0) return text;
    excess -= count;
    return writeMessage(withoutMarkers(values[index]!));
  });
}
