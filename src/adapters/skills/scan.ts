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
const COMMAND_FILE = '.md';

const OUTSIDE = "It leads out of the skills' directory, so it is not read.";

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
    if (real === null) return problem(file, OUTSIDE);
    const { mtimeMs, ctimeMs, size, ino } = await stat(real);
    const known = found.get(name);
    if (known) return problem(file, `/${name} is ${known.path} already.`);
    if (found.size >= most) return problem(file, `There are more than ${most} skills; this one is left out.`);
    found.set(name, { name, kind, file: real, path: path.relative(home, file), directory, stamp: [ino, size, mtimeMs, ctimeMs].join(':') });
  };

  const addFolder = async (at: string, names: readonly string[]): Promise<void> => {
    if ((await insideOf(home, at)) === null) return problem(at, OUTSIDE);
    const file = path.join(at, SKILL_FILE);
    if ((await kindOf(file)) === 'file') return add(names.join(':'), 'skill', file, at);
    if (names.length >= MAX_DEPTH) return problem(at, `Folders lie deeper than ${MAX_DEPTH}.`);
    return walk(at, names);
  };

  const walk = async (folder: string, namespace: readonly string[]): Promise<void> => {
    const entries = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
    const kinds = new Map(await Promise.all(entries.map(async (entry) => [entry, await kindOf(path.join(folder, entry))] as const)));
    const ofKind = (wanted: 'file' | 'folder'): readonly string[] => entries.filter((entry) => kinds.get(entry) === wanted);
    // A folder goes before a file of the same name.
    for (const entry of ofKind('folder')) await each(path.join(folder, entry), entry, (at, name) => addFolder(at, [...namespace, name]));
    for (const entry of ofKind('file')) {
      if (!entry.endsWith(COMMAND_FILE) || NO_COMMANDS.includes(entry)) continue;
      await each(path.join(folder, entry), entry.slice(0, -COMMAND_FILE.length), (at, name) => add([...namespace, name].join(':'), 'command', at, null));
    }
  };

  /** What is wrong with one entry is no fault of the others; what has gone meanwhile is gone. */
  const each = async (at: string, name: string, work: (at: string, name: string) => Promise<void>): Promise<void> => {
    if (!NAME.test(name)) return problem(at, 'Its name is none that a command can have: letters, digits, - and _, 64 at most.');
    try {
      await work(at, name);
    } catch (fault) {
      const { code } = fault as { code?: string };
      if (code !== 'ENOENT') problem(at, `It cannot be read (${code}).`);
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
