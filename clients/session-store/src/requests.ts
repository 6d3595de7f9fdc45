import type { SessionKey, SessionStoreEntry } from './types.js';

/** Lines of one request, as JSON texts. */
export interface Batch {
  readonly lines: readonly string[];
  readonly entries: readonly SessionStoreEntry[];
}

/** In the order of the entries; each has at least one. `mostBytes`: of the lines of a batch. */
export function batchesOf(entries: readonly SessionStoreEntry[], mostBytes: number): readonly Batch[] {
  const batches: { lines: string[]; entries: SessionStoreEntry[] }[] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    const line = JSON.stringify(entry);
    const size = new TextEncoder().encode(line).length;
    if (bytes + size > mostBytes) {
      batches.push({ lines: [], entries: [] });
      bytes = 0;
    }
    const batch = batches.at(-1)!;
    batch.lines.push(line);
    batch.entries.push(entry);
    bytes += size;
  }
  return batches;
}

export interface Summary {
  readonly data: unknown;
  /** The number of the summary that it was made from; 0: of none. */
  readonly after: number;
}

export function bodyOf({ projectKey, sessionId, subpath }: SessionKey, { lines }: Batch, summary: Summary | null): string {
  const file = { projectKey, sessionId, ...(subpath === undefined ? {} : { subpath }), ...(summary ? { summary } : {}) };
  return [JSON.stringify(file), ...lines].map((line) => `${line}\n`).join('');
}

export const nameOf = ({ projectKey, sessionId, subpath }: SessionKey): string => JSON.stringify([projectKey, sessionId, subpath ?? null]);

/** SHA-256, hexadecimal. */
export async function digestOf(name: string, { lines }: Batch): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify([name, lines])));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
