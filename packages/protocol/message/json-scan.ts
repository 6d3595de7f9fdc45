/** Reads places in JSON text without parsing it. The text must be valid JSON: a parser has accepted it. */

/** Index of the quote that closes the string opened at `start`. */
export function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text[before] === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
  return text.length;
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /[^,:[\]{} \t\n\r]*/y;

export const afterSpace = (text: string, at: number): number => at + lengthOf(SPACE, text, at);

/** Index after the value that begins at `at`. Not recursive. */
export function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let next = at; next < text.length; next += 1) {
    const character = text[next];
    if (character === '"') next = endOfText(text, next);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (depth === 0) return next + lengthOf(SCALAR, text, next);
    if (depth === 0) return next + 1;
  }
  return text.length;
}

/** A value in a list, or a member of an object with its name; `from` to `to` is the whole item, from `at` on it is the value. */
export interface Item {
  readonly name: string | null;
  readonly from: number;
  readonly at: number;
}

/** The items of the list or object that begins at `start`, in the order of the text. Gets the end of each item's value from the caller, who may have read it. */
export function eachItem(text: string, start: number, endOf: (item: Item) => number): number {
  const isObject = text[start] === '{';
  let at = afterSpace(text, start + 1);
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    const from = at;
    let name: string | null = null;
    if (isObject) {
      const end = endOfText(text, at);
      name = JSON.parse(text.slice(at, end + 1)) as string;
      at = afterSpace(text, afterSpace(text, end + 1) + 1); // over the colon
    }
    at = afterSpace(text, endOf({ name, from, at }));
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
  return at + 1;
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
