import { type Dirent, opendirSync, type readdirSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import type { PathResolver } from './path-resolver.js';

/** Folders inside folders that are looked into. */
const DEPTH = 100;

/** Stands in front of every path while names are matched; nothing is ever opened by it. */
const STAND_IN = '/folder';

export interface Names {
  /** In order. */
  readonly found: readonly string[];
  /** There are more files and folders than were looked at. */
  readonly more: boolean;
}

/** The regular files beneath the folder `asked` whose path from there fits. Links are not followed; what belongs to git is left out. */
export function names(pattern: string, asked: string, beneath: PathResolver, maxEntries: number): Names {
  let room = maxEntries;
  let more = false;
  const list = (folder: string): readonly Dirent[] => {
    const relative = path.relative(STAND_IN, folder);
    if (relative === '..' || relative.startsWith('../')) return [];
    try {
      const directory = opendirSync(beneath.openFolder(`${asked}/${relative}`));
      const entries: Dirent[] = [];
      for (let entry = directory.readSync(); entry !== null && !more; entry = directory.readSync()) {
        if (room > 0) entries.push(entry);
        else more = true;
        room -= 1;
      }
      directory.closeSync();
      return entries;
    } finally {
      beneath.close();
    }
  };
  const found = globSync(pattern, {
    cwd: STAND_IN,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
    deep: DEPTH,
    ignore: ['**/.git/**'],
    fs: { readdirSync: list as unknown as typeof readdirSync },
  });
  return { found: found.sort(), more };
}
