import { type Dirent, opendirSync, type readdirSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import type { PathResolver } from './path-resolver.js';

/** Depth of folders that are searched. */
const MAX_DEPTH = 100;

/** The root of paths while they are matched; never opened. */
const VIRTUAL_ROOT = '/folder';

export interface Names {
  /** Sorted. */
  readonly found: readonly string[];
  /** Whether the limit of entries was reached. */
  readonly more: boolean;
}

/** The regular files resolver the folder `asked` whose path from there fits. Links are not followed; what belongs to git is left out. */
export function names(pattern: string, asked: string, resolver: PathResolver, maxEntries: number): Names {
  let room = maxEntries;
  let more = false;
  const list = (folder: string): readonly Dirent[] => {
    const relative = path.relative(VIRTUAL_ROOT, folder);
    if (relative === '..' || relative.startsWith('../')) return [];
    try {
      const directory = opendirSync(resolver.openFolder(`${asked}/${relative}`));
      const entries: Dirent[] = [];
      for (let entry = directory.readSync(); entry !== null && !more; entry = directory.readSync()) {
        if (room > 0) entries.push(entry);
        else more = true;
        room -= 1;
      }
      directory.closeSync();
      return entries;
    } finally {
      resolver.close();
    }
  };
  const found = globSync(pattern, {
    cwd: VIRTUAL_ROOT,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
    deep: MAX_DEPTH,
    ignore: ['**/.git/**'],
    fs: { readdirSync: list as unknown as typeof readdirSync },
  });
  return { found: found.sort(), more };
}
