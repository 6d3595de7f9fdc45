import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SkillProblem } from '../../ports/index.js';

/** The file of a skill or a command. */
export interface FoundFile {
  readonly name: string;
  readonly kind: 'skill' | 'command';
  /** Absolute, without links. */
  readonly file: string;
  /** Relative to the directory that was scanned. */
  readonly path: string;
  /** The folder of a skill, absolute and without links. */
  readonly directory: string | null;
  /** Changes when the file does. */
  readonly stamp: string;
}

export interface Scan {
  readonly files: readonly FoundFile[];
  readonly problems: readonly SkillProblem[];
}

const SKILL_FILE = 'SKILL.md';
const COMMAND_FILE = '.md';

const OUTSIDE = 'It is a link to a place outside of the skills directory, so it is not read.';

/** Files beside commands that are not commands. */
const NO_COMMANDS: readonly string[] = [SKILL_FILE, 'README.md'];

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Depth of nested folders. */
const MAX_DEPTH = 4;

/** Finds skills and commands without reading them: `NAME/SKILL.md` is a skill, `NAME.md` a command, any other folder a namespace. */
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
    if (known) return problem(file, `The name /${name} is already used by ${known.path}.`);
    if (found.size >= most) return problem(file, `The limit of ${most} skills is reached, so this one is left out.`);
    found.set(name, { name, kind, file: real, path: path.relative(home, file), directory, stamp: [ino, size, mtimeMs, ctimeMs].join(':') });
  };

  const addFolder = async (at: string, names: readonly string[]): Promise<void> => {
    const folder = await insideOf(home, at);
    if (folder === null) return problem(at, OUTSIDE);
    const file = path.join(at, SKILL_FILE);
    if ((await kindOf(file)) === 'file') return add(names.join(':'), 'skill', file, folder);
    if (names.length >= MAX_DEPTH) return problem(at, `Folders are nested deeper than ${MAX_DEPTH} levels.`);
    return walk(at, names);
  };

  const walk = async (folder: string, namespace: readonly string[]): Promise<void> => {
    const entries = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
    const kinds = new Map(await Promise.all(entries.map(async (entry) => [entry, await kindOf(path.join(folder, entry))] as const)));
    const ofKind = (wanted: 'file' | 'folder'): readonly string[] => entries.filter((entry) => kinds.get(entry) === wanted);
    // A folder takes precedence over a file of the same name.
    for (const entry of ofKind('folder')) await each(path.join(folder, entry), entry, (at, name) => addFolder(at, [...namespace, name]));
    for (const entry of ofKind('file')) {
      if (!entry.endsWith(COMMAND_FILE) || NO_COMMANDS.includes(entry)) continue;
      await each(path.join(folder, entry), entry.slice(0, -COMMAND_FILE.length), (at, name) => add([...namespace, name].join(':'), 'command', at, null));
    }
  };

  /** A fault of one entry does not affect the others. An entry that was removed meanwhile is ignored. */
  const each = async (at: string, name: string, work: (at: string, name: string) => Promise<void>): Promise<void> => {
    if (!NAME.test(name)) return problem(at, 'Its name is not valid for a command: use at most 64 letters, digits, - and _.');
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

/** The real path of a file when it is within the folder; null otherwise. Both must exist, and the folder's path must not contain links. */
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
