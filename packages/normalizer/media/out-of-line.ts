import type { BlobSource, Json } from '../../protocol/message/content.js';
import { isBlobSource } from '../../protocol/message/content.js';
import { isObject } from '../../protocol/message/unknown-json.js';

/** Bytes as base64 text in a JSON value. */
export interface InlineBytes {
  readonly mediaType: string;
  readonly base64: string;
}

type Members = { readonly [key: string]: Json };

/**
 * Replaces the bytes in a JSON value of any shape: sources (`{type: "base64", media_type, data}`), and the member `base64` of files as Claude Code writes
 * them (`{type: "image/png", base64}`). `change` returns null for bytes that stay. Returns the same value when nothing changes.
 */
export function mapInlineBytes(value: Json, change: (bytes: InlineBytes) => BlobSource | null): Json {
  return mapMembers(value, (members) => {
    const { type, media_type: mediaType, data, base64 } = members;
    if (type === 'base64' && typeof mediaType === 'string' && typeof data === 'string') return (change({ mediaType, base64: data }) ?? members) as Json;
    if (typeof base64 !== 'string' || typeof type !== 'string' || !MEDIA_TYPE.test(type)) return undefined;
    const stored = change({ mediaType: type, base64 });
    return stored === null ? members : { ...members, base64: stored as unknown as Json };
  });
}

/** The inverse. `base64Of` returns undefined for what is no reference to stored bytes, but only looks like one; it stays. */
export function withInlineBytes(value: Json, base64Of: (source: BlobSource) => string | undefined): Json {
  return mapMembers(value, (members) => {
    if (isBlobSource(members['base64'])) {
      const data = base64Of(members['base64']);
      return data === undefined ? members : { ...members, base64: data };
    }
    if (!isBlobSource(members)) return undefined;
    const source: BlobSource = members;
    const data = base64Of(source);
    return data === undefined ? members : { type: 'base64', media_type: source.media_type, data };
  });
}

/** Whether a value has bytes that `mapInlineBytes` would replace. */
export function hasInlineBytes(value: Json): boolean {
  let found = false;
  mapInlineBytes(value, () => {
    found = true;
    return null;
  });
  return found;
}

/** Every reference to stored bytes in a value, and what looks like one. */
export function storedBytesIn(value: Json): readonly BlobSource[] {
  const found: BlobSource[] = [];
  withInlineBytes(value, (source) => {
    found.push(source);
    return undefined;
  });
  return found;
}

const MEDIA_TYPE = /^(image|application)\//;

/** `change` returns undefined for an object of which the members are looked at. */
function mapMembers(value: Json, change: (members: Members) => Json | undefined): Json {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const mapped = items.map((item) => mapMembers(item, change));
    return mapped.some((item, index) => item !== items[index]) ? mapped : value;
  }
  if (!isObject(value)) return value;
  const members = value as Members;
  const changed = change(members);
  if (changed !== undefined) return changed;
  const entries = Object.entries(members).map(([name, member]) => [name, mapMembers(member, change)] as const);
  return entries.some(([name, member]) => member !== members[name]) ? Object.fromEntries(entries) : value;
}
