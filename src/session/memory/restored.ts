import { type MemoryLimits, writeFault } from './memory-limits.js';
import type { MemoryChange } from './run-command.js';

/** The change that gives a path the content of an earlier version, or deletes its file. `fault`: why it cannot have it now. */
export function restored(
  files: ReadonlyMap<string, string>,
  path: string,
  content: string | null,
  limits: MemoryLimits,
): { readonly changes: readonly MemoryChange[]; readonly fault: string | null } {
  if ((files.get(path) ?? null) === content) return { changes: [], fault: null };
  const fault = content === null ? null : writeFault(files, path, content, limits);
  return { changes: fault === null ? [{ path, content }] : [], fault };
}
