/** The only text after `<` that stays a link. */
const LINK = /<[a-z][a-z0-9+.-]{1,31}:[^\s<>]*>/iy;
const TAG = /<[a-z/!?]/iy;
/** After `](`: another one can contain backticks, also in its title. */
const TARGET = /[^\s()<>`\\"']*\)/y;
const TICKS = /`+/y;
/** In a word with one of these a backtick can belong to an address that is found without brackets. */
const ADDRESS: ReadonlySet<string> = new Set([':', '@', '.', '<']);

/**
 * Text between the marks of blocks, line by line, in which HTML becomes text. Code stays as it is where every parser finds code: in the other cases a `<` in it
 * is shown as an entity.
 */
export class Spans {
  /** It is known which backticks of the paragraph belong together. */
  #isKnown = true;

  /** The paragraph has ended. */
  end(): void {
    this.#isKnown = true;
  }

  line(line: string): string {
    let shown = '';
    let copied = 0;
    let isWord = true; // since the last space, nothing of an address
    for (let at = 0; at < line.length; at++) {
      const one = line[at]!;
      const tag = tagAt(line, at);
      if (tag !== null) {
        // After an address a backslash is part of it, an entity is not.
        shown += `${line.slice(copied, at)}&lt;`;
        copied = tag;
      }
      if (one === ']' && line[at + 1] === '(' && endOf(TARGET, line, at + 2) === null) this.#isKnown = false;
      if (one === '`') {
        const end = endOf(TICKS, line, at)!;
        const code: number | null = isWord ? this.#endOfCode(line, at, end) : null;
        this.#isKnown &&= code !== null;
        isWord = code !== null;
        at = (code ?? end) - 1;
      } else if (one === ' ' || one === '\t') isWord = true;
      else if (one === '\\') at++;
      else if (ADDRESS.has(one)) isWord = false;
    }
    return shown + line.slice(copied);
  }

  /** Where the code ends that begins with these backticks; null when another parser may find other code. */
  #endOfCode(line: string, from: number, to: number): number | null {
    if (!this.#isKnown) return null;
    const runs = /`+/g;
    runs.lastIndex = to;
    let run = runs.exec(line);
    while (run !== null && run[0].length !== to - from) run = runs.exec(line);
    // The cells of a table are found before code.
    return run === null || line.slice(to, run.index).includes('|') ? null : runs.lastIndex;
  }
}

/** The end of a `<`, with a backslash before it or not, that can begin HTML; null when there is none. */
function tagAt(line: string, at: number): number | null {
  const start = line[at] === '\\' ? at + 1 : at;
  if (line[start] !== '<' || endOf(TAG, line, start) === null) return null;
  return start === at && endOf(LINK, line, at) !== null ? null : start + 1;
}

function endOf(what: RegExp, line: string, at: number): number | null {
  what.lastIndex = at;
  return what.test(line) ? what.lastIndex : null;
}
