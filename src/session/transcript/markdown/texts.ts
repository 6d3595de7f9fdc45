/** Texts of others in a Markdown file. Each function is linear in its text, which is read line by line: no parser holds the event loop, whatever the text contains. */

const LINE = /\r\n|\n|\r/;
/** White space and the marks of lists and quotes, before what a line contains. */
const PLACE = String.raw`(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*`;
/** Also in a list. In a quotation it ends with that. */
const FENCE = /^((?:[-*+] |\d{1,9}[.)] |  )* ?)(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^ *(`{3,}|~{3,})[ \t]*$/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const UNDERLINE = /^( {0,3})(?==+[ \t]*$|-+[ \t]*$)/;
/** Not the address of a link, `<https://…>`. */
const HTML = new RegExp(`^(${PLACE})<(?=[a-z/!?])(?![a-z][a-z0-9+.-]{1,31}:)`, 'i');
const DEEPEST = 6;
/** Of the headings of this file: its title, and who wrote a message. */
const LEVELS = 2;

/** Markdown: its headings are below those of this file, HTML is shown as written, and a code block that is cut off ends. */
export const markdown = (text: string): string => outsideCode(text, withoutHeadings);

/** A quotation, with its headings. */
export const quoted = (text: string): string =>
  outsideCode(text, withoutHtml)
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');

/** A text with lines that are not in a block of code as `shown` has them. */
function outsideCode(text: string, shown: (line: string, before: string) => string): string {
  const lines: string[] = [];
  let fence: Fence | null = null;
  let before = '';
  for (const line of text.split(LINE)) {
    if (fence !== null && leavesItem(line, fence.place)) fence = null;
    lines.push(fence === null ? shown(line, before) : line);
    fence = fence === null ? opened(line) : closes(line, fence.mark) ? null : fence;
    before = line;
  }
  if (fence !== null) lines.push(fence.place.replace(/[^ ]/g, ' ') + fence.mark);
  return lines.join('\n');
}

interface Fence {
  /** What is before it in its line. */
  readonly place: string;
  readonly mark: string;
}

const withoutHtml = (line: string): string => line.replace(HTML, '$1\\<');

function withoutHeadings(line: string, before: string): string {
  const [heading, marks] = HEADING.exec(line) ?? [];
  if (heading !== undefined) return '#'.repeat(Math.min(DEEPEST, marks!.length + LEVELS)) + line.slice(heading.length);
  if (before.trim() !== '' && UNDERLINE.test(line)) return line.replace(UNDERLINE, '$1\\');
  return withoutHtml(line);
}

function opened(line: string): Fence | null {
  const [, place, mark] = FENCE.exec(line) ?? [];
  return place === undefined || mark === undefined ? null : { place, mark };
}

/** Code that begins beside the mark of a list item ends with the item, before a line that is not indented as far. */
const leavesItem = (line: string, place: string): boolean => place.trim() !== '' && line.trim() !== '' && !line.startsWith(' '.repeat(place.length));

function closes(line: string, mark: string): boolean {
  const [, end] = FENCE_END.exec(line) ?? [];
  return end !== undefined && end[0] === mark[0] && end.length >= mark.length;
}

/** A block of code, with a fence that the text does not have. */
export function fenced(text: string, language = ''): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Part of a line: nothing in it is markup, and nothing breaks, reorders or hides the line. */
export const inLine = (text: string): string => oneLine(text).replace(/[\\`*_[\]<>#&|~]/g, '\\$&');

/** What is folded, below a line that says what it is. The line is HTML, in which Markdown is not read. */
export const folded = (summary: string, content: string): string =>
  `<details>\n<summary>${oneLine(summary).replace(/[&<>]/g, (one) => ENTITIES[one]!)}</summary>\n\n${content}\n\n</details>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
