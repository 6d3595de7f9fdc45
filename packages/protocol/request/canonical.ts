import { isObject, type UnknownObject } from '../message/unknown-json.js';

/**
 * The canonical form of what is sent to the model API: JSON with sorted keys, a text as the content of a message (or as the system prompt) as one text block, and no
 * cache markers. Programs write one message in several ways, with a marker on it one time and as a plain string the next; this form is the same for all of them. It is the
 * form by which Claude Code names messages in its session files.
 */
export const canonicalMessage = (message: UnknownObject): string =>
  'content' in message ? canonicalJson({ ...message, content: blocksIn(message['content']) }) : canonicalJson(message);

/** The same for a message whose blocks have these canonical forms: a block of several messages is written once. */
export const canonicalOfBlocks = (role: string, blocks: readonly string[]): string => `{"content":[${blocks.join(',')}],"role":${JSON.stringify(role)}}`;

export const canonicalBlock = (block: unknown): string => canonicalJson(unmarked(block));

/** The same for what stands before the messages. */
export function canonicalShape({ system, tools, ...rest }: UnknownObject): string {
  return canonicalJson({ ...rest, system: blocksIn(system), tools: Array.isArray(tools) ? tools.map(unmarked) : tools });
}

/** SHA-256, hexadecimal. */
export const canonicalDigest = (message: UnknownObject, sha256: (text: string) => string): string => sha256(canonicalMessage(message));

/** JSON with the keys of each object in the order of their code units, without members that are undefined. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${names
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
    .join(',')}}`;
}

function blocksIn(content: unknown): unknown {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(unmarked) : content;
}

/** Markers stand on blocks, on blocks inside of them, and on tools. Elsewhere, as in the input of a call, a member of this name is content. */
function unmarked(block: unknown): unknown {
  if (!isObject(block)) return block;
  const { cache_control: _, ...rest } = block;
  return Array.isArray(rest['content']) ? { ...rest, content: rest['content'].map(unmarked) } : rest;
}
