import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import type { Beneath } from './beneath.js';

/** Folders inside folders that are looked into. */
const DEPTH = 100;

/** Stands in front of every path while names are matched; nothing is ever opened by it. */
const STAND_IN = '/folder';

/** The regular files beneath the folder `asked` whose path from there fits, in order of name. Links are not followed; what belongs to git is left out. */
export function names(pattern: string, asked: string, beneath: Beneath): readonly string[] {
  const list = (folder: string): readonly Dirent[] => entries(path.relative(STAND_IN, folder), asked, beneath);
  const found = globSync(pattern, {
    cwd: STAND_IN,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
    deep: DEPTH,
    ignore: ['**/.git/**'],
    fs: { readdirSync: list as unknown as typeof readdirSync },
  });
  return found.sort();
}

function entries(relative: string, asked: string, beneath: Beneath): readonly Dirent[] {
  if (relative === '..' || relative.startsWith('../')) return [];
  try {
    return readdirSync(beneath.openFolder(`${asked}/${relative}`), { withFileTypes: true });
  } finally {
    beneath.close();
  }
}
