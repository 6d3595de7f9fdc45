import type { MemoryCommand } from './memory-command.js';
import { isDirectory, type MemoryLimits, placeFault, writeFault } from './memory-limits.js';
import { isBelow, memoryPath, MEMORY_ROOT } from './memory-path.js';
import { linesOf, listing, MAX_LINES, numbered, snippet } from './memory-text.js';

/** What a command makes of one path. */
export interface MemoryChange {
  readonly path: string;
  /** Null: the path has no file any more. */
  readonly content: string | null;
  /** The path from which the file was moved. */
  readonly renamedFrom?: string;
}

export interface MemoryResult {
  /** For the model. */
  readonly text: string;
  readonly isError: boolean;
  /** None where the command fails or only reads. */
  readonly changes: readonly MemoryChange[];
}

type Files = ReadonlyMap<string, string>;

/** Runs a command on the files of a user: what the model is answered, and what changes. Texts that the documentation of the tool gives are the same here (docs: Memory tool). */
export function runMemoryCommand(files: Files, command: MemoryCommand, limits: MemoryLimits): MemoryResult {
  switch (command.command) {
    case 'view':
      return view(files, command);
    case 'create':
      return create(files, command, limits);
    case 'str_replace':
      return replace(files, command, limits);
    case 'insert':
      return insert(files, command, limits);
    case 'delete':
      return remove(files, command.path);
    case 'rename':
      return rename(files, command.from, command.to);
  }
}

/** The files after the changes. */
export function withChanges(files: Files, changes: readonly MemoryChange[]): Files {
  const after = new Map(files);
  for (const { path, content } of changes) {
    if (content === null) after.delete(path);
    else after.set(path, content);
  }
  return after;
}

type Of<Name extends MemoryCommand['command']> = Extract<MemoryCommand, { readonly command: Name }>;

function view(files: Files, { path, range }: Of<'view'>): MemoryResult {
  const text = files.get(path);
  if (text === undefined) {
    if (!isDirectory(files, path)) return failed(`The path ${path} does not exist. Please provide a valid path.`);
    return range === null ? done(listing(files, path)) : failed(`Error: \`view_range\` is for files, and ${path} is a directory. Leave it out.`);
  }
  const lines = linesOf(text);
  if (lines.length > MAX_LINES) return failed(`File ${path} exceeds maximum line limit of 999,999 lines.`);
  const [first, last] = range ?? [1, -1];
  if (range !== null && first > Math.max(lines.length, 1)) return failed(`Error: Invalid \`view_range\`: the file ${path} has ${lines.length} lines.`);
  return done(`Here's the content of ${path} with line numbers:\n${numbered(lines.slice(first - 1, last === -1 ? undefined : last), first)}`);
}

function create(files: Files, { path, text }: Of<'create'>, limits: MemoryLimits): MemoryResult {
  if (files.has(path)) return failed(`Error: File ${path} already exists`);
  return write(files, path, text, limits, `File created successfully at: ${path}`);
}

function replace(files: Files, { path, old, by }: Of<'str_replace'>, limits: MemoryLimits): MemoryResult {
  const text = files.get(path);
  if (text === undefined) return failed(`Error: The path ${path} does not exist. Please provide a valid path.`);
  const found = offsetsOf(text, old);
  const [start] = found;
  if (start === undefined) return failed(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`);
  if (found.length > 1) {
    return failed(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${linesAt(text, found).join(', ')}. Please ensure it is unique`,
    );
  }
  const after = text.slice(0, start) + by + text.slice(start + old.length);
  return write(files, path, after, limits, `The memory file has been edited.\n${snippet(after, start, start + by.length)}`);
}

/** Places of a text that an answer names, at most. */
const MAX_PLACES = 100;

/** Also those that overlap: which one was meant cannot be told. The first ones of many. */
function offsetsOf(text: string, part: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && found.length < MAX_PLACES; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** Numbers of the lines in which these offsets are, which are in order; each line once. One pass over the text. */
function linesAt(text: string, offsets: readonly number[]): readonly number[] {
  const lines = new Set<number>();
  let [line, ended] = [1, text.indexOf('\n')];
  for (const offset of offsets) {
    while (ended >= 0 && ended < offset) {
      line += 1;
      ended = text.indexOf('\n', ended + 1);
    }
    lines.add(line);
  }
  return [...lines];
}

function insert(files: Files, { path, line, text }: Of<'insert'>, limits: MemoryLimits): MemoryResult {
  const before = files.get(path);
  if (before === undefined) return failed(`Error: The path ${path} does not exist`);
  const lines = linesOf(before);
  if (line < 0 || line > lines.length) {
    return failed(`Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`);
  }
  const above = lines.slice(0, line).map((one) => `${one}\n`);
  const below = lines.slice(line).join('\n') + (line < lines.length && before.endsWith('\n') ? '\n' : '');
  const added = below === '' || text.endsWith('\n') ? text : `${text}\n`;
  return write(files, path, above.join('') + added + below, limits, `The file ${path} has been edited.`);
}

function write(files: Files, path: string, text: string, limits: MemoryLimits, answer: string): MemoryResult {
  const fault = writeFault(files, path, text, limits);
  return fault === null ? done(answer, files.get(path) === text ? [] : [{ path, content: text }]) : failed(`Error: ${fault}`);
}

function remove(files: Files, path: string): MemoryResult {
  if (path === MEMORY_ROOT) return failed(`Error: ${MEMORY_ROOT} itself cannot be deleted. Delete the files in it.`);
  const gone = inside(files, path);
  if (gone.length === 0) return failed(`Error: The path ${path} does not exist`);
  return done(
    `Successfully deleted ${path}`,
    gone.map((file) => ({ path: file, content: null })),
  );
}

function rename(files: Files, from: string, to: string): MemoryResult {
  if (from === MEMORY_ROOT) return failed(`Error: ${MEMORY_ROOT} itself cannot be renamed. Rename the files in it.`);
  const moved = inside(files, from);
  if (moved.length === 0) return failed(`Error: The path ${from} does not exist`);
  if (files.has(to) || isDirectory(files, to)) return failed(`Error: The destination ${to} already exists`);
  if (isBelow(to, from)) return failed(`Error: ${from} cannot be moved into itself. Choose a destination outside of it.`);
  const misplaced = placeFault(files, to);
  if (misplaced !== null) return failed(`Error: ${misplaced}`);
  const targets = moved.map((path) => ({ path, target: memoryPath(to + path.slice(from.length)) }));
  const changes: MemoryChange[] = [];
  for (const { path, target } of targets) {
    if ('fault' in target) return failed(`Error: ${target.fault}`);
    changes.push({ path, content: null }, { path: target.path, content: files.get(path)!, renamedFrom: path });
  }
  return done(`Successfully renamed ${from} to ${to}`, changes);
}

/** The file at a path, or the files below it. */
const inside = (files: Files, path: string): readonly string[] => [...files.keys()].filter((file) => file === path || isBelow(file, path));

const done = (text: string, changes: readonly MemoryChange[] = []): MemoryResult => ({ text, isError: false, changes });
const failed = (text: string): MemoryResult => ({ text, isError: true, changes: [] });
