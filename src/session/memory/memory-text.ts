import { utf8Length } from '../../../packages/protocol/message/text.js';
import { isBelow } from './memory-path.js';

/* What the memory tool shows of files and directories. The forms are those that the documentation of the tool gives. */

/** Levels of directories that a view lists. */
const LEVELS = 2;
/** docs: Memory tool, `view`: a longer file cannot be shown with line numbers. */
export const MAX_LINES = 999_999;
const NUMBER_WIDTH = 6;
/** Lines that an edit shows before and after what it changed. */
const AROUND = 4;

/** The lines of a text; a newline at the end begins no further line. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** Lines with their numbers, which count from `first`. */
export const numbered = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${String(first + index).padStart(NUMBER_WIDTH)}\t${line}`).join('\n');

/** The part of a text around the characters from `start` to `end`. */
export function snippet(text: string, start: number, end: number): string {
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length - 1;
  const first = Math.max(0, lineAt(start) - AROUND);
  return numbered(linesOf(text).slice(first, lineAt(end) + AROUND + 1), first + 1);
}

/** A directory with what is in it, two levels deep, without hidden entries. */
export function listing(files: ReadonlyMap<string, string>, directory: string): string {
  const sizes = new Map<string, number>([[directory, 0]]);
  for (const [path, text] of files) {
    if (!isBelow(path, directory)) continue;
    const names = path.slice(directory.length + 1).split('/');
    const bytes = utf8Length(text);
    sizes.set(directory, sizes.get(directory)! + bytes);
    for (let level = 1; level <= Math.min(LEVELS, names.length); level += 1) {
      if (isHidden(names[level - 1]!)) break;
      const shown = `${directory}/${names.slice(0, level).join('/')}`;
      sizes.set(shown, (sizes.get(shown) ?? 0) + bytes);
    }
  }
  const lines = [...sizes].sort(([one], [other]) => (one < other ? -1 : 1)).map(([path, bytes]) => `${readable(bytes)}\t${path}`);
  return [`Here're the files and directories up to ${LEVELS} levels deep in ${directory}, excluding hidden items and node_modules:`, ...lines].join('\n');
}

/** Whether listings leave a path out. */
export const isHiddenPath = (path: string): boolean => path.split('/').some(isHidden);

const isHidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

function readable(bytes: number): string {
  if (bytes < 1_024) return `${bytes}B`;
  const kilobytes = bytes / 1_024;
  return kilobytes < 1_024 ? `${kilobytes.toFixed(1)}K` : `${(kilobytes / 1_024).toFixed(1)}M`;
}
