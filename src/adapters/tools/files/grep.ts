import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PathResolver } from './path-resolver.js';
import type { GrepInput } from './inputs.js';
import { Listing } from './listing.js';
import { type Names, names } from './names.js';
import type { Confines, Done } from './operation.js';
import { cut } from '../../../core/message/text.js';

/** Of a line, so that one without end does not crowd out everything else. */
const LINE_CHARACTERS = 500;

/** Where a file is looked at to tell whether it is text. */
const SAMPLE = 8_192;

/** Looks for an expression in the lines of files. Files that are no text, too large, or not to be opened are passed over. */
export function grep(input: GrepInput, beneath: PathResolver, { characters, maxBytes, maxEntries }: Confines): Done {
  const { pattern, path: asked = '.', glob, output_mode: mode = 'files_with_matches', head_limit: most } = input;
  const expression = new RegExp(pattern, input['-i'] ? 'i' : '');
  const listing = new Listing(characters, most);
  const { found, more } = filesIn(asked, glob, beneath, maxEntries);
  let files = 0;
  for (const name of found) {
    const text = textOf(name, beneath, maxBytes);
    const matches = mode === 'content' ? content(name, text, expression, listing, input) : countIn(text, expression, mode === 'count');
    if (matches > 0) files += 1;
    if (matches > 0 && mode !== 'content') listing.add(mode === 'count' ? `${name}:${matches}` : name);
    if (listing.more) break;
  }
  const notice = more && !listing.more ? `\n[Only the first ${maxEntries} files and folders were looked at; look in a folder of them]` : '';
  const text = listing.text('(nothing found)', '[There is more; look for something narrower, or in fewer files]');
  return { text: `${text}${notice}`, result: { mode, numFiles: files, more: listing.more || more } };
}

/** PathResolver the session's folder. A pattern without a slash is for names in any folder. */
function filesIn(asked: string, pattern: string | undefined, beneath: PathResolver, maxEntries: number): Names {
  const { at, relative } = beneath.find(asked);
  if (!lstatSync(at).isDirectory()) return { found: [relative], more: false };
  const wanted = pattern === undefined ? '**' : pattern.includes('/') ? pattern : `**/${pattern}`;
  const { found, more } = names(wanted, relative || '.', beneath, maxEntries);
  return { found: found.map((name) => path.join(relative, name)), more };
}

function textOf(name: string, beneath: PathResolver, maxBytes: number): string {
  try {
    const { handle, stats } = beneath.openFile(beneath.find(name), name);
    if (stats.size > maxBytes) return '';
    const bytes = readFileSync(handle);
    return bytes.subarray(0, SAMPLE).includes(0) ? '' : bytes.toString();
  } catch {
    return ''; // gone meanwhile, or somebody else's
  } finally {
    beneath.close();
  }
}

/** One after the other: a list of them all could be larger than the file many times over. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const next = end < 0 ? text.length : end;
    yield text.slice(from, next);
    from = next + 1;
  }
}

/** How many lines fit; without `all`, whether any does. */
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
 * Lists the lines that fit, as grep prints them: a colon behind the name of one that fits, a dash behind that of one around it, two dashes where lines are left
 * out. Says how many fit, until there is no more room.
 */
function content(name: string, text: string, expression: RegExp, listing: Listing, input: GrepInput): number {
  const around = input['-C'] ?? 0;
  const before = input['-B'] ?? around;
  const after = input['-A'] ?? around;
  const isNumbered = input['-n'] ?? true;
  /** The last lines that do not fit and were not shown; a few more than are needed, so that they need not be moved for each line. */
  let held: string[] = [];
  let matches = 0;
  let number = 0;
  let shownUpTo = 0;
  let owed = 0;
  const show = (mark: ':' | '-', at: number, line: string): boolean => {
    const gap = before + after > 0 && shownUpTo > 0 && at > shownUpTo + 1;
    shownUpTo = at;
    const rest = line.length - LINE_CHARACTERS;
    const shown = rest > 0 ? `${cut(line, LINE_CHARACTERS)} [${rest} more characters]` : line;
    return (!gap || listing.add('--')) && listing.add(`${name}${mark}${isNumbered ? `${at}${mark}` : ''}${shown}`);
  };
  for (const line of linesOf(text)) {
    number += 1;
    const fits = expression.test(line);
    if (fits) {
      matches += 1;
      const wanted = before > 0 ? held.slice(-before) : [];
      const first = number - wanted.length;
      if (!wanted.every((earlier, index) => show('-', first + index, earlier)) || !show(':', number, line)) break;
      held = [];
      owed = after;
    } else if (owed > 0) {
      owed -= 1;
      if (!show('-', number, line)) break;
    } else if (before > 0) {
      held.push(line);
      if (held.length >= 2 * before) held = held.slice(-before);
    }
  }
  return matches;
}
