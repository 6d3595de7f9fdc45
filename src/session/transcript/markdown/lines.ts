import { Spans } from './spans.js';

/** Changes a line that is neither code nor quoted, by the line before it. */
export type Change = (line: string, before: string) => string;

interface Fence {
  /** The spaces before it. */
  readonly place: string;
  readonly mark: string;
}

const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^ *(`{3,}|~{3,})[ \t]*$/;
/** White space, and marks of quotations, list items and tasks. */
const MARKS = /[ \t>]+|[-*+][ \t]|\d{1,9}[.)][ \t]|\[[ x]\][ \t]/iy;
const ITEM = /^ *(?:([-*+])|(\d{1,9})[.)]) {1,4}(?=[^ \t])/;
const BREAK = /^[-*_ \t]*$/;
const QUOTED = /^>(?!\t) ?/;
const BLANK = /^[ \t]*$/;
/** More white space makes code of a line. */
const INDENTED = 4;

/**
 * A Markdown text, read line by line, with lines that mean the same to every parser. Code begins at a fence that surely begins code, at the column where its list
 * item has its content; other fences become text, and so do definitions of the targets of links. It ends with a fence at the same column, which is added where the item or the text ends before.
 */
export class Lines {
  readonly #change: Change;
  readonly #spans: Spans;
  /** Columns of the content of the list items in which the next line can surely be. */
  readonly #items: number[] = [];
  #fence: Fence | null = null;
  /** A quotation that is not in another one. */
  #quotation: Lines | null = null;
  #before = '';
  readonly #isQuoted: boolean;

  constructor(change: Change, spans: Spans | null = null) {
    this.#change = change;
    this.#spans = spans ?? new Spans();
    this.#isQuoted = spans !== null;
  }

  /** What is shown for the next line. */
  next(line: string): readonly string[] {
    return this.#fence === null ? this.#outside(line) : this.#inside(line, this.#fence);
  }

  /** What ends the code that is open. */
  end(): readonly string[] {
    const open = this.#fence;
    this.#fence = null;
    return open === null ? this.#endQuotation() : [open.place + open.mark];
  }

  #inside(line: string, { place, mark }: Fence): readonly string[] {
    const placed = line.startsWith(place) ? line : spaced(line);
    const [, end] = FENCE_END.exec(placed) ?? [];
    if (end !== undefined && end[0] === mark[0] && end.length >= mark.length && indentOf(placed) - place.length < INDENTED) {
      this.#fence = null;
      return [place + end];
    }
    return BLANK.test(line) || placed.startsWith(place) ? [placed] : [...this.end(), ...this.#outside(line)];
  }

  #outside(given: string): readonly string[] {
    const quoted = this.#isQuoted ? null : QUOTED.exec(given);
    if (quoted !== null) return this.#quote(given.slice(quoted[0].length));
    return [...this.#endQuotation(), this.#shown(spaced(given))];
  }

  #quote(line: string): readonly string[] {
    this.#items.length = 0;
    this.#quotation ??= this.#beginQuotation();
    this.#before = '>';
    return inQuotation(this.#quotation.next(line));
  }

  #beginQuotation(): Lines {
    const lines = new Lines((one) => one, this.#spans);
    lines.#before = this.#before; // its first line can continue a paragraph
    return lines;
  }

  #endQuotation(): readonly string[] {
    const ended = this.#quotation?.end() ?? [];
    this.#quotation = null;
    return inQuotation(ended);
  }

  #shown(line: string): string {
    const before = this.#before;
    this.#before = line;
    if (BLANK.test(line)) {
      this.#spans.end();
      return line;
    }
    const indent = indentOf(line);
    const column = this.#enter(line, indent, before);
    const rest = line.slice(column ?? indent);
    if (FENCE.test(rest) && (column !== null || indent - this.#column < INDENTED)) return this.#open(column === null ? '' : line.slice(0, column), rest);
    return this.#spans.line(this.#change(defused(line), before));
  }

  /** Leaves the list items that have ended. Returns the column of the content when a new one surely begins. */
  #enter(line: string, indent: number, before: string): number | null {
    const known = this.#items.length;
    while (this.#column > indent) this.#items.pop();
    const [item, mark, number] = ITEM.exec(line) ?? [];
    if (item === undefined || indent - this.#column >= INDENTED || BREAK.test(line)) return null;
    // Within a paragraph, other numbers are part of it.
    if (mark === undefined && number !== '1' && !BLANK.test(before) && this.#items.length === known) return null;
    this.#items.push(item.length);
    return item.length;
  }

  #open(item: string, rest: string): string {
    const [mark] = FENCE.exec(rest)!;
    const place = ' '.repeat(this.#column);
    this.#fence = { place, mark };
    this.#before = '';
    this.#spans.end();
    return (item === '' ? place : item) + rest;
  }

  get #column(): number {
    return this.#items.at(-1) ?? 0;
  }
}

const inQuotation = (lines: readonly string[]): readonly string[] => lines.map((line) => (line === '' ? '>' : `> ${line}`));

const indentOf = (line: string): number => /^ */.exec(line)![0].length;

/** A line that begins with spaces instead of tabs. */
function spaced(line: string): string {
  let column = 0;
  let at = 0;
  for (; line[at] === ' ' || line[at] === '\t'; at++) column += line[at] === ' ' ? 1 : INDENTED - (column % INDENTED);
  return column === at ? line : ' '.repeat(column) + line.slice(at);
}

/** A line in which neither code begins nor the target of a link is defined for the whole file, whatever its marks mean. */
function defused(line: string): string {
  MARKS.lastIndex = 0;
  let start = 0;
  while (MARKS.test(line)) start = MARKS.lastIndex;
  const rest = line.slice(start);
  const [mark] = FENCE.exec(rest) ?? (beginsDefinition(rest) ? '[' : '');
  if (mark === undefined) return line;
  return line.slice(0, start) + mark.replace(/./g, '\\$&') + rest.slice(mark.length);
}

/** `[label]: address`, also when a later line has the rest. */
function beginsDefinition(line: string): boolean {
  if (!line.startsWith('[')) return false;
  for (let at = 1; at < line.length; at++) {
    if (line[at] === ']') return line[at + 1] === ':';
    if (line[at] === '\\') at++;
  }
  return true;
}
