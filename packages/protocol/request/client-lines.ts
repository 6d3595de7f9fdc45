import type { Json } from '../message/content.js';
import { TIME } from '../shape/skeleton-rule.js';
import { isObject, loose, type UnknownObject } from '../message/unknown-json.js';

/**
 * What Claude Code writes into a session file about each request that it sends. A request lists its messages by the hashes of their canonical form, after the first `keep`
 * ones of an earlier request, its base. Messages that do not follow from the transcript stand in the file under their hashes, and so do system prompt and tools: the shape.
 */
export type ClientLine =
  | ({ readonly kind: 'request' } & ClientRequestLine)
  /** A message, or a shape, and the hash that the line gives for it; null: none. */
  | { readonly kind: 'blob' | 'shape'; readonly hash: string | null; readonly value: UnknownObject };

export interface ClientRequestLine {
  readonly id: string | null;
  readonly base: string | null;
  readonly keep: number;
  /** Null: in a form that is not known. */
  readonly tail: readonly (string | null)[];
  readonly shape: string | null;
  readonly params: { readonly [name: string]: Json };
  readonly markers: readonly { readonly path: Json; readonly value: Json }[];
  /** By a formula of the program's own. */
  readonly digest: string | null;
  readonly querySource: string | null;
  /** RFC 3339. */
  readonly timestamp: string | null;
}

const TYPES: ReadonlySet<unknown> = new Set(['api-request', 'api-request-blob', 'api-request-shape']);

export const isClientLine = (value: unknown): value is UnknownObject => isObject(value) && TYPES.has(value['type']);

/** Null: the line is about something else. */
export function clientLine(value: unknown): ClientLine | null {
  if (!isClientLine(value)) return null;
  switch (value['type']) {
    case 'api-request-blob':
      return { kind: 'blob', hash: hashIn(value['hash']), value: loose(value['message']) };
    case 'api-request-shape':
      return { kind: 'shape', hash: hashIn(value['shapeHash'] ?? value['hash']), value: loose(value['shape']) };
    default:
      return { kind: 'request', ...requestIn(value) };
  }
}

function requestIn(line: UnknownObject): ClientRequestLine {
  const { keep, tail, cacheControl } = line;
  const base = text(line['base']);
  return {
    id: text(line['id']),
    base,
    keep: base !== null && Number.isSafeInteger(keep) && (keep as number) > 0 ? (keep as number) : 0,
    tail: Array.isArray(tail) ? tail.map((part) => hashIn(isObject(part) ? part['hash'] : part)) : [],
    shape: hashIn(line['shapeHash']),
    params: loose(line['params']) as ClientRequestLine['params'],
    markers: Array.isArray(cacheControl)
      ? cacheControl.filter(isObject).map(({ path, value }) => ({ path: (path ?? null) as Json, value: (value ?? null) as Json }))
      : [],
    digest: text(line['requestDigest']),
    querySource: text(line['querySource']),
    timestamp: time(line['timestamp']),
  };
}

const IS_TIME = new RegExp(TIME);
const HASH = /^(?:sha256[:-])?([0-9a-f]{64})$/i;

const hashIn = (value: unknown): string | null => (typeof value === 'string' ? (HASH.exec(value)?.[1]?.toLowerCase() ?? null) : null);

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const time = (value: unknown): string | null => (typeof value === 'string' && IS_TIME.test(value) && !Number.isNaN(Date.parse(value)) ? value : null);
