import { createHash } from 'node:crypto';

/** Limits of the model API for tool names (docs: Define tools). */
const MAX_LENGTH = 128;
const INVALID = /[^a-zA-Z0-9_-]/g;
const HASH_LENGTH = 8;
const ROOM = MAX_LENGTH - HASH_LENGTH - 1;

/**
 * The name under which the model calls a server's tool: `mcp__SERVER__TOOL`. Where that would be too long, contain invalid characters or be ambiguous, digits of
 * a hash are appended. The name depends only on the two names, so it does not change when other tools come and go.
 */
export function modelName(server: string, tool: string): string {
  const plain = prefixOf(server) + tool.replace(INVALID, '_');
  const isUnambiguous = plain === `mcp__${server}__${tool}` && plain.length <= MAX_LENGTH && !server.includes('__') && !server.endsWith('_');
  if (isUnambiguous) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  return `${plain.slice(0, ROOM)}_${hash}`;
}

/** Whether a tool of that name can be the server's. May be true for a tool of another server; is never false for its own. */
export function mayHave(server: string, name: string): boolean {
  return name.startsWith(prefixOf(server).slice(0, ROOM));
}

const prefixOf = (server: string): string => `mcp__${server}__`.replace(INVALID, '_');
