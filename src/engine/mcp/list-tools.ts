import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** Tools are validated one by one: an invalid one must not hide the others. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** Bounds a server that returns a new cursor for ever. */
const MAX_PAGES = 100;

export interface RawTools {
  /** As the server describes them, not validated. */
  readonly tools: readonly unknown[];
  /** Whether there are more than `most`. */
  readonly more: boolean;
}

/** The first `most` tools of a server, read page by page until `signal` aborts. */
export async function listTools(client: Client, most: number, timeoutMs: number, signal: AbortSignal): Promise<RawTools> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], more: false };
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools: found, nextCursor } = await client.request({ method: 'tools/list', params }, page, { timeout: timeoutMs, signal });
    tools.push(...found.slice(0, most - tools.length));
    if (nextCursor === undefined || nextCursor === cursor) return { tools, more: false };
    if (tools.length >= most) return { tools, more: true };
    cursor = nextCursor;
  }
  return { tools, more: true };
}
