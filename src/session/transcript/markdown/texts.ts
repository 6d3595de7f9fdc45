/** Texts of others in a Markdown file. Each function is linear in its text, which is read line by line: no parser holds the event loop, whatever the text contains. */
import { type Change, Lines } from './lines.js';

const LINE = /\r\n|\n|\r/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^( {0,3})(?==+[ \t]*$|-+[ \t]*$)/;
const DEEPEST = 6;
/** Of the headings of this file: its title, and who wrote a message. */
const LEVELS = 2;

/** Markdown: its headings are below those of this file, HTML is shown as written, and code that is cut off ends. */
export const markdown = (text: string): string => changed(text, withoutHeadings);

/** A quotation, with its headings. */
export const quoted = (text: string): string =>
  changed(text, (line) => line)
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');

function changed(text: string, change: Change): string {
  const lines = new Lines(change);
  const shown = text.split(LINE).flatMap((line) => lines.next(line));
  return [...shown, ...lines.end()].join('\n');
}

function withoutHeadings(line: string, before: string): string {
  const [heading, marks] = HEADING.exec(line) ?? [];
  if (heading !== undefined) return '#'.repeat(Math.min(DEEPEST, marks!.length + LEVELS)) + line.slice(heading.length);
  return before.trim() !== '' && UNDERLINE.test(line) ? line.replace(UNDERLINE, '$1\\') : line;
}

/** A block of code, with a fence that the text does not have. */
export function fenced(text: string, language = ''): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Part of a line: nothing in it is markup, and nothing breaks, reorders or hides the line. */
export const inLine = (text: string): string => asText(oneLine(text).replace(/[\\`*_[\]#|~]/g, '\\$&'));

/** What is folded, below a line that says what it is. The line is HTML, in which Markdown is not read. */
export const folded = (summary: string, content: string): string => `<details>\n<summary>${asText(oneLine(summary))}</summary>\n\n${content}\n\n</details>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Also beside an address, of which a backslash would be a part. */
const asText = (text: string): string => text.replace(/[&<>]/g, (one) => ENTITIES[one]!);

const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
