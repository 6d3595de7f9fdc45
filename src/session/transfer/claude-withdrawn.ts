import type { TreeLine } from './claude-lines.js';

/**
 * The lines that other lines take back, by uuid, with the uuid of the line that does: when a model refuses in the middle of an answer and another one continues,
 * the note about it and the new answer name what the first model had written. A line that is taken back itself passes on to the one that takes it back.
 */
export function withdrawnLines(lines: readonly TreeLine[]): ReadonlyMap<string, string> {
  const by = new Map<string, string>();
  for (const { uuid, entry } of lines) for (const other of entry?.withdraws ?? []) if (uuid !== null && uuid !== other) by.set(other, uuid);
  if (by.size === 0) return by;
  const found = new Map<string, string>();
  for (const { uuid, entry } of lines) {
    const last = uuid === null || entry === null ? undefined : lastOf(uuid, by);
    if (last !== undefined) found.set(uuid!, last);
  }
  return found;
}

/** The end of the chain; undefined for a line that none takes back, and in a circle. */
function lastOf(uuid: string, by: ReadonlyMap<string, string>): string | undefined {
  const seen = new Set([uuid]);
  let last: string | undefined;
  for (let at = by.get(uuid); at !== undefined; at = by.get(at)) {
    if (seen.has(at)) return undefined;
    seen.add(at);
    last = at;
  }
  return last;
}

/** Calls and results of such a line belong to no message. */
export function asWithdrawn(line: TreeLine): TreeLine {
  return line.entry === null ? line : { ...line, entry: { ...line.entry, role: 'withdrawn', calls: [], answers: [], withdraws: [] } };
}
