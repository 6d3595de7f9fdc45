import type { Json } from '../../../packages/protocol/message/content.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import type { ClientRequestLine } from '../../../packages/protocol/request/client-lines.js';

export interface PlacedMarker {
  readonly path: Json;
  readonly value: Json;
  /** Whether the payload has it. */
  readonly isPlaced: boolean;
}

/** The body that a client has sent, as far as it is recorded, with its cache markers; `betas` were a header. */
export function clientPayload({ params, markers }: ClientRequestLine, shape: UnknownObject, messages: readonly UnknownObject[]) {
  const { betas: _, ...parameters } = params;
  for (const part of PARTS) delete (parameters as Record<string, unknown>)[part];
  const proven = Object.fromEntries(['system', 'tools'].flatMap((name) => (Object.hasOwn(shape, name) ? [[name, shape[name]]] : [])));
  // One by one: a message that a request has twice is two, of which one may have a marker.
  const copies = messages.map((message) => structuredClone(message));
  const payload = { ...structuredClone({ ...parameters, ...proven }), messages: copies } as { readonly [name: string]: Json };
  return { payload, markers: markers.map(({ path, value }): PlacedMarker => ({ path, value, isPlaced: place(payload, keysOf(path), value) })) };
}

const MARKER = 'cache_control';

/** A list of keys, a JSON pointer, or keys with dots between them. */
function keysOf(path: unknown): readonly string[] {
  if (Array.isArray(path)) return path.map(String);
  if (typeof path !== 'string') return [];
  return path.startsWith('/') ? path.slice(1).split('/') : path.split(/[.[\]]+/).filter((key) => key !== '');
}

/** What hashes prove; a parameter does not stand for any of it. */
const PARTS: ReadonlySet<string> = new Set(['messages', 'system', 'tools']);

function place(payload: UnknownObject, keys: readonly string[], value: unknown): boolean {
  const path = keys.at(-1) === MARKER ? keys.slice(0, -1) : keys;
  if (path[0] === undefined || !PARTS.has(path[0])) return false;
  let at: unknown = payload;
  for (const [index, key] of path.entries()) at = memberOf(at, key, path[index + 1]);
  if (!isObject(at)) return false;
  (at as Record<string, unknown>)[MARKER] = value;
  return true;
}

/** A text has one block where a marker stands on it: the first one, and the last key. */
function memberOf(parent: unknown, key: string, next: string | undefined): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined;
  const members = parent as Record<string, unknown>;
  if (next === '0' && (key === 'content' || key === 'system') && typeof members[key] === 'string') members[key] = [{ type: 'text', text: members[key] }];
  return members[key];
}
