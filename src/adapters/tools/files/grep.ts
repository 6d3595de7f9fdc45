import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Beneath } from './beneath.js';
import type { GrepInput } from './inputs.js';
import { Listing } from './listing.js';
import { names } from './names.js';
import type { Confines, Done } from './operation.js';

/** Of a line, so that one without end does not crowd out everything else. */
const LINE_CHARACTERS = 500;

/** Where a file is looked at to tell whether it is text. */
const SAMPLE = 8_192;

/** Looks for an expression in the lines of files. Files that are no text, too large, or not to be opened are passed over. */
export function grep(input: GrepInput, beneath: Beneath, { characters, maxBytes }: Confines): Done {
  const { pattern, path: asked = '.', glob, output_mode: mode = 'files_with_matches', head_limit: most } = input;
  const expression = new RegExp(pattern, input['-i'] ? 'i' : '');
  const listing = new Listing(characters, most);
  let files = 0;
  let matches = 0;
  for (const name of filesIn(asked, glob, beneath)) {
    const lines = linesOf(name, beneath, maxBytes);
    const found = lines.flatMap((line, index) => (expression.test(line) ? [index] : []));
    if (found.length === 0) continue;
    files += 1;
    matches += found.length;
    const answer = mode === 'content' ? contentLines(name, lines, found, input) : [mode === 'count' ? `${name}:${found.length}` : name];
    for (const line of answer) if (!listing.add(line)) break;
    if (listing.more) break;
  }
  const text = listing.text('(nothing found)', '[There is more; look for something narrower, or in fewer files]');
  return { text, result: { mode, numFiles: files, numMatches: matches, more: listing.more } };
}

/** Beneath the session's folder. A pattern without a slash is for names in any folder. */
function filesIn(asked: string, pattern: string | undefined, beneath: Beneath): readonly string[] {
  const { at, relative } = beneath.find(asked);
  if (!lstatSync(at).isDirectory()) return [relative];
  const wanted = pattern === undefined ? '**' : pattern.includes('/') ? pattern : `**/${pattern}`;
  return names(wanted, relative || '.', beneath).map((name) => path.join(relative, name));
}

function linesOf(name: string, beneath: Beneath, maxBytes: number): readonly string[] {
  try {
    const { handle, stats } = beneath.openFile(beneath.find(name), name);
    if (stats.size > maxBytes) return [];
    const bytes = readFileSync(handle);
    if (bytes.subarray(0, SAMPLE).includes(0)) return [];
    const lines = bytes.toString().split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines;
  } catch {
    return []; // gone meanwhile, or somebody else's
  } finally {
    beneath.close();
  }
}

/** As grep prints them: a colon behind the name of a line that fits, a dash behind that of one around it, two dashes where lines are left out. */
function contentLines(name: string, lines: readonly string[], found: readonly number[], input: GrepInput): readonly string[] {
  const around = input['-C'] ?? 0;
  const before = input['-B'] ?? around;
  const after = input['-A'] ?? around;
  const numbered = input['-n'] ?? true;
  const fits = new Set(found);
  const shown: string[] = [];
  let next = 0;
  for (const at of found) {
    const from = Math.max(next, at - before);
    if (before + after > 0 && shown.length > 0 && from > next) shown.push('--');
    for (let index = from; index <= Math.min(at + after, lines.length - 1); index += 1) {
      const mark = fits.has(index) ? ':' : '-';
      const line = lines[index] ?? '';
      const rest = line.length - LINE_CHARACTERS;
      shown.push(`${name}${mark}${numbered ? `${index + 1}${mark}` : ''}${rest > 0 ? `${line.slice(0, LINE_CHARACTERS)} [${rest} more characters]` : line}`);
      next = index + 1;
    }
  }
  return shown;
}
