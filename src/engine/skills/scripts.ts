import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** The program that runs the scripts of a file name extension. */
const INTERPRETERS: Readonly<Record<string, string>> = { '.py': 'python3', '.js': 'node', '.mjs': 'node', '.cjs': 'node' };

/** Entries of a skill's folder that are looked at. */
const MAX_ENTRIES = 2_000;

/** The programs that the scripts in a skill's folder need, each with one of the scripts. */
export async function neededPrograms(directory: string): Promise<ReadonlyMap<string, string>> {
  const needed = new Map<string, string>();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    const program = INTERPRETERS[path.extname(entry.name)];
    if (!entry.isFile() || program === undefined || needed.has(program)) continue;
    needed.set(program, path.relative(directory, path.join(entry.parentPath, entry.name)));
  }
  return needed;
}
