const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Index of the quote that closes the string opened at `start`; the length of the bytes when it is not closed. */
export function endOfString(bytes: Buffer, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start + 1); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
  return bytes.length;
}

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Index of the first character that is not valid JSON at its place; the length of the text when it ends too early. */
export function syntaxErrorAt(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : 'comma or end');
  for (;;) {
    while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at += 1;
    const character = text.charAt(at);
    if (character === '') return at;
    const wantsKey: boolean = expected === 'key' || expected === 'key or end';
    const wantsValue: boolean = expected === 'value' || expected === 'value or end';
    const maybeEnd: boolean = expected === 'comma or end' || expected === 'key or end' || expected === 'value or end';
    if (maybeEnd && character === (open.at(-1) === '{' ? '}' : ']')) {
      open.pop();
      expected = afterValue();
    } else if (expected === 'comma or end' && character === ',') {
      expected = open.at(-1) === '{' ? 'key' : 'value';
    } else if (expected === 'colon' && character === ':') {
      expected = 'value';
    } else if (character === '"' && (wantsKey || wantsValue)) {
      const end = stringEnd(text, at);
      if (text.charAt(end) !== '"') return end;
      at = end;
      expected = wantsKey ? 'colon' : afterValue();
    } else if (wantsValue && (character === '{' || character === '[')) {
      open.push(character);
      expected = character === '{' ? 'key or end' : 'value or end';
    } else if (wantsValue) {
      const length = lengthOf(NUMBER, text, at) || lengthOf(WORD, text, at);
      if (length === 0) return at;
      at += length - 1;
      expected = afterValue();
    } else return at;
    at += 1;
  }
}

/** Index of the closing quote, or of the first character that is not valid in a string. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"' || character < ' ') return at;
    if (character !== '\\') continue;
    const length = lengthOf(ESCAPE, text, at);
    if (length === 0) return at;
    at += length - 1;
  }
  return text.length;
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
