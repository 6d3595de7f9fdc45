import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SkillProblem } from '../../core/ports.js';

/** A file that a skill or a command is made of. */
export interface FoundFile {
  readonly name: string;
  readonly kind: 'skill' | 'command';
  /** Absolute, and from the skills' directory on. */
  readonly file: string;
  readonly path: string;
  /** The folder that belongs to a skill. */
  readonly directory: string | null;
  /** Another one when the file has changed. */
  readonly stamp: string;
}

export interface Scan {
  readonly files: readonly FoundFile[];
  readonly problems: readonly SkillProblem[];
}

const SKILL_FILE = 'SKILL.md';

/** What people leave beside their commands. */
const NO_COMMANDS: readonly string[] = [SKILL_FILE, 'README.md'];

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Folders within each other. */
const MAX_DEPTH = 4;

/** Looks through a directory without reading its files: `NAME/SKILL.md` is a skill, `NAME.md` a command, any other folder a namespace. */
export async function scan(root: string, most: number): Promise<Scan> {
  const found = new Map<string, FoundFile>();
  const problems: SkillProblem[] = [];
  const home = await realpath(root);
  const problem = (at: string, text: string): void => void problems.push({ path: path.relative(home, at) || '.', problem: text });

  const add = async (name: string, kind: FoundFile['kind'], file: string, directory: string | null): Promise<void> => {
    const real = await insideOf(home, file);
    if (real === null) return problem(file, 'It leads out of the skills\' directory, so it is not read.');
    const { mtimeMs, ctimeMs, size, ino } = await stat(real);
    const known = found.get(name);
    if (known) return problem(file, `/${name} is ${known.path} already.`);
    if (found.size >= most) return problem(file, `There are more than ${most} skills; this one is left out.`);
    found.set(name, { name, kind, file: real, path: path.relative(home, file), directory, stamp: [ino, size, mtimeMs, ctimeMs].join(':') });
  };

  const walk = async (folder: string, namespace: readonly string[]): Promise<void> => {
    const entries = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
    const files: string[] = [];
    for (const entry of entries) {
      const at = path.join(folder, entry);
      const kind = await kindOf(at);
      if (kind === 'file' && entry.endsWith('.md') && !NO_COMMANDS.includes(entry)) files.push(entry);
      if (kind !== 'folder') continue;
      if (!NAME.test(entry)) problem(at, 'Its name is none that a command can have: letters, digits, - and _, 64 at most.');
      else if ((await insideOf(home, at)) === null) problem(at, 'It leads out of the skills\' directory, so it is not read.');
      else if ((await kindOf(path.join(at, SKILL_FILE))) === 'file') await add([...namespace, entry].join(':'), 'skill', path.join(at, SKILL_FILE), at);
      else if (namespace.length + 1 >= MAX_DEPTH) problem(at, `Folders lie deeper than ${MAX_DEPTH}.`);
      else await walk(at, [...namespace, entry]);
    }
    for (const entry of files) {
      const name = entry.slice(0, -'.md'.length);
      if (NAME.test(name)) await add([...namespace, name].join(':'), 'command', path.join(folder, entry), null);
      else problem(path.join(folder, entry), 'Its name is none that a command can have: letters, digits, - and _, 64 at most.');
    }
  };

  await walk(home, []);
  return { files: [...found.values()], problems };
}

/** Where a path leads, when that is within the folder; null otherwise. Both exist; the folder's own path leads nowhere else. */
export async function insideOf(folder: string, file: string): Promise<string | null> {
  const real = await realpath(file);
  return real === folder || real.startsWith(folder + path.sep) ? real : null;
}

async function kindOf(at: string): Promise<'file' | 'folder' | null> {
  try {
    const found = await stat(at);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : null;
  } catch {
    return null;
  }
}
