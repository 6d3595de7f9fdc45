import { utf8Length } from '../../../packages/protocol/message/text.js';
/** The directory that every path of a memory begins with. */
export const MEMORY_ROOT = '/memories';

/** Longest path, in UTF-8 bytes. */
export const MAX_PATH_BYTES = 1_024;
/** Longest name of a file or directory, in UTF-8 bytes. */
export const MAX_NAME_BYTES = 255;
/** Directories below /memories, and the name itself. */
export const MAX_PATH_DEPTH = 16;

export type MemoryPath = { readonly path: string } | { readonly fault: string };

/** Control characters, halves of surrogate pairs, line and paragraph separators, and characters that change the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u;
/** What a URL would decode, such as %2e%2e%2f. */
const ENCODED = /%[0-9a-f]{2}/i;

/**
 * The normalized form of a path that the model or a person gave, or why it is none: Unicode in form NFC, one slash between names, none at the end, no `.` between slashes. Paths with the same form are the same file;
 * letters in upper and lower case differ.
 */
export function memoryPath(given: string): MemoryPath {
  if (UNSEEN.test(given)) return fault(given, 'must not contain control characters or other characters that cannot be seen');
  if (given.includes('\\')) return fault(given, 'must not contain a backslash; write / between names');
  if (ENCODED.test(given)) return fault(given, 'must not contain encoded characters such as %2e; write the characters themselves');
  const normal = given.normalize('NFC');
  const names = normal.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return fault(given, 'must not contain ..');
  if (!normal.startsWith('/') || `/${names[0] ?? ''}` !== MEMORY_ROOT) return fault(given, `must begin with ${MEMORY_ROOT}`);
  const path = `/${names.join('/')}`;
  if (names.length - 1 > MAX_PATH_DEPTH) return fault(given, `must have at most ${MAX_PATH_DEPTH} names below ${MEMORY_ROOT}`);
  if (names.some((name) => utf8Length(name) > MAX_NAME_BYTES)) return fault(given, `must not have a name of more than ${MAX_NAME_BYTES} bytes`);
  return utf8Length(path) > MAX_PATH_BYTES ? fault(given, `must have at most ${MAX_PATH_BYTES} bytes`) : { path };
}

/** The directories above a path, from the one right above it to /memories. */
export function directoriesAbove(path: string): readonly string[] {
  const names = path.split('/');
  return names.slice(2).map((_, index) => names.slice(0, names.length - 1 - index).join('/'));
}

export const isBelow = (path: string, directory: string): boolean => path.startsWith(`${directory}/`);

const SHOWN = 200;

function fault(given: string, rule: string): MemoryPath {
  const shown = Array.from(given).slice(0, SHOWN).join('');
  return { fault: `The path ${JSON.stringify(shown)} is not valid: it ${rule}.` };
}
