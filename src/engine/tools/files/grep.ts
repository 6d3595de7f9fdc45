import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PathResolver } from './path-resolver.js';
import type { GrepInput } from './inputs.js';
import { Listing } from './listing.js';
import { type Names, names } from './names.js';
import { cut } from '../../../../packages/protocol/message/text.js';
import type { FileLimits, OperationResult } from './operation.js';

/** Shown of one line. */
const LINE_CHARACTERS = 500;

/** A file with a NUL in its first bytes is not text. */
const SAMPLE_BYTES = 8_192;

/** Searches the lines of files for a regular expression. Skips files that are not text, too large, or cannot be opened. */
export function grep(input: GrepInput, resolver: PathResolver, { characters, maxBytes, maxEntries }: FileLimits): OperationResult {
  const { pattern, path: asked = '.', glob, output_mode: mode = 'files_with_matches', head_limit: most } = input;
  const expression = new RegExp(pattern, input['-i'] ? 'i' : '');
  const listing = new Listing(characters, most);
  const { found, more } = filesIn(asked, glob, resolver, maxEntries);
  let files = 0;
  for (const name of found) {
    const text = textOf(name, resolver, maxBytes);
    const matches = mode === 'content' ? content(resolver.shown(name), text, expression, listing, input) : countIn(text, expression, mode === 'count');
    if (matches > 0) files += 1;
    if (matches > 0 && mode !== 'content') listing.add(mode === 'count' ? `${resolver.shown(name)}:${matches}` : resolver.shown(name));
    if (listing.more) break;
  }
  const notice = more && !listing.more ? `\n[Only the first ${maxEntries} files and folders were searched; search a subfolder]` : '';
  const text = listing.text('(no matches)', '[There are more matches; narrow the pattern or the path]');
  return { text: `${text}${notice}`, result: { mode, numFiles: files, more: listing.more || more } };
}

/** Paths from the root. A pattern without a slash matches names in any folder. */
function filesIn(asked: string, pattern: string | undefined, resolver: PathResolver, maxEntries: number): Names {
  const { at, relative } = resolver.find(asked);
  if (!lstatSync(at).isDirectory()) return { found: [relative], more: false };
  const wanted = pattern === undefined ? '**' : pattern.includes('/') ? pattern : `**/${pattern}`;
  const { found, more } = names(wanted, relative || '.', resolver, maxEntries);
  return { found: found.map((name) => path.join(relative, name)), more };
}

function textOf(name: string, resolver: PathResolver, maxBytes: number): string {
  try {
    const { descriptor, stats } = resolver.openFile(resolver.find(name), name);
    if (stats.size > maxBytes) return '';
    const bytes = readFileSync(descriptor);
    return bytes.subarray(0, SAMPLE_BYTES).includes(0) ? '' : bytes.toString();
  } catch {
    return ''; // removed meanwhile, or not accessible
  } finally {
    resolver.close();
  }
}

/** A generator: an array of short lines takes many times the memory of the file. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const next = end < 0 ? text.length : end;
    yield text.slice(from, next);
    from = next + 1;
  }
}

/** Counts the matching lines; without `all`, stops at the first. */
function countIn(text: string, expression: RegExp, all: boolean): number {
  let count = 0;
  for (const line of linesOf(text)) {
    if (!expression.test(line)) continue;
    count += 1;
    if (!all) break;
  }
  return count;
}

/**
 * Lists matching lines in the format of grep: `:` after the name of a matching line, `-` after that of a context line, `--` between groups. Returns the number of
 * matches until the listing is full.
 */
function content(name: string, text: string, expression: RegExp, listing: Listing, input: GrepInput): number {
  const around = input['-C'] ?? 0;
  const before = input['-B'] ?? around;
  const after = input['-A'] ?? around;
  const isNumbered = input['-n'] ?? true;
  /** The last lines without a match that were not shown. Up to twice as many as needed, so that trimming is rare. */
  let skipped: string[] = [];
  let matches = 0;
  let number = 0;
  let shownUpTo = 0;
  let contextLeft = 0;
  const show = (mark: ':' | '-', at: number, line: string): boolean => {
    const gap = before + after > 0 && shownUpTo > 0 && at > shownUpTo + 1;
    shownUpTo = at;
    const rest = line.length - LINE_CHARACTERS;
    const shown = rest > 0 ? `${cut(line, LINE_CHARACTERS)} [${rest} more characters]` : line;
    return (!gap || listing.add('--')) && listing.add(`${name}${mark}${isNumbered ? `${at}${mark}` : ''}${shown}`);
  };
  for (const line of linesOf(text)) {
    number += 1;
    const isMatch = expression.test(line);
    if (isMatch) {
      matches += 1;
      const wanted = before > 0 ? skipped.slice(-before) : [];
      const first = number - wanted.length;
      if (!wanted.every((earlier, index) => show('-', first + index, earlier)) || !show(':', number, line)) break;
      skipped = [];
      contextLeft = after;
    } else if (contextLeft > 0) {
      contextLeft -= 1;
      if (!show('-', number, line)) break;
    } else if (before > 0) {
      skipped.push(line);
      if (skipped.length >= 2 * before) skipped = skipped.slice(-before);
    }
  }
  return matches;
}
