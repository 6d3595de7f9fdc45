import { createHash } from 'node:crypto';

/** What the model API takes for a tool's name (docs: Define tools). */
const LONGEST = 128;
const UNUSUAL = /[^a-zA-Z0-9_-]/g;
const HASH_LENGTH = 8;
const ROOM = LONGEST - HASH_LENGTH - 1;

/**
 * The name under which the model calls a server's tool: `mcp__SERVER__TOOL`. Where that would be too long, hold other characters, or could be read as another
 * server's tool, a few digits of a hash stand behind it. It depends on nothing but the two names, so a tool keeps its name whatever else is there.
 */
export function modelName(server: string, tool: string): string {
  const plain = prefixOf(server) + tool.replace(UNUSUAL, '_');
  const isClear = plain === `mcp__${server}__${tool}` && plain.length <= LONGEST && !server.includes('__') && !server.endsWith('_');
  if (isClear) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  return `${plain.slice(0, ROOM)}_${hash}`;
}

/** Whether a tool of that name can be the server's. Another server's may look the same; no other one's can. */
export function mayHave(server: string, name: string): boolean {
  return name.startsWith(prefixOf(server).slice(0, ROOM));
}

const prefixOf = (server: string): string => `mcp__${server}__`.replace(UNUSUAL, '_');
