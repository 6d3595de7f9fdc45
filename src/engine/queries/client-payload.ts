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
  const payload = structuredClone({ ...parameters, ...shape, messages }) as { readonly [name: string]: Json };
  return { payload, markers: markers.map(({ path, value }): PlacedMarker => ({ path, value, isPlaced: place(payload, keysOf(path), value) })) };
}

const MARKER = 'cache_control';

/** A list of keys, a JSON pointer, or keys with dots between them. */
function keysOf(path: unknown): readonly string[] {
  if (Array.isArray(path)) return path.map(String);
  if (typeof path !== 'string') return [];
  return path.startsWith('/') ? path.slice(1).split('/') : path.split(/[.[\]]+/).filter((key) => key !== '');
}

const PARTS: ReadonlySet<unknown> = new Set(['messages', 'system', 'tools']);

function place(payload: UnknownObject, keys: readonly string[], value: unknown): boolean {
  const path = keys.at(-1) === MARKER ? keys.slice(0, -1) : keys;
  if (!PARTS.has(path[0])) return false;
  let at: unknown = payload;
  for (const key of path) at = memberOf(at, key);
  if (!isObject(at)) return false;
  (at as Record<string, unknown>)[MARKER] = value;
  return true;
}

/** A text has one block where a marker stands on it. */
function memberOf(parent: unknown, key: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined;
  const members = parent as Record<string, unknown>;
  if ((key === 'content' || key === 'system') && typeof members[key] === 'string') members[key] = [{ type: 'text', text: members[key] }];
  return members[key];
}
