import { Marked, type Token, type TokenizerAndRendererExtension, type Tokens } from 'marked';

/** A formula in TeX. */
export interface MathToken extends Tokens.Generic {
  readonly type: 'math' | 'math-block';
  readonly text: string;
}

/** `footnote`: what a footnote says; `footnote-mark`: where it belongs. */
export interface FootnoteToken extends Tokens.Generic {
  readonly type: 'footnote' | 'footnote-mark';
  readonly label: string;
}

/** Characters of one formula; each of the patterns looks no further for its end. */
const FORMULA = 5_000;
const BLOCK = new RegExp(String.raw`^ {0,3}(?:\$\$([\s\S]{1,${FORMULA}}?)\$\$|\\\[([\s\S]{1,${FORMULA}}?)\\\])[ \t]*(?:\n|$)`);
/** A dollar sign begins a formula where no space follows it, and ends one before neither a letter nor a digit: prices and variables of a shell are none. */
const INLINE = new RegExp(
  String.raw`^(?:\$\$([^$]{1,${FORMULA}}?)\$\$|\$((?![\s$])(?:\\[^\n]|[^$\\\n]){1,${FORMULA}}?)(?<!\s)\$(?![\w$])|\\\(([\s\S]{1,${FORMULA}}?)\\\)|\\\[([\s\S]{1,${FORMULA}}?)\\\])`,
);

const formula = (type: MathToken['type'], found: RegExpExecArray | null): MathToken | undefined => {
  const text = found?.slice(1).find((one) => one !== undefined);
  return found === null || text === undefined || text.trim() === '' ? undefined : { type, raw: found[0], text: text.trim() };
};

const LABEL = String.raw`\[\^([^\]\s]{1,60})\]`;
const DEFINITION = new RegExp(String.raw`^ {0,3}${LABEL}:[ \t]*([^\n]*(?:\n(?: {2,}|\t)[^\n]+)*)(?:\n|$)`);

const extensions: readonly TokenizerAndRendererExtension[] = [
  {
    name: 'math-block',
    level: 'block',
    start: (text) => find(text, /(?:^|\n) {0,3}(?:\$\$|\\\[)/),
    tokenizer: (text) => formula('math-block', BLOCK.exec(text)),
  },
  { name: 'math', level: 'inline', start: (text) => find(text, /(?<![\w$])\$(?!\s)|\\[([]/), tokenizer: (text) => formula('math', INLINE.exec(text)) },
  {
    name: 'footnote',
    level: 'block',
    start: (text) => find(text, /(?:^|\n) {0,3}\[\^/),
    tokenizer(text) {
      const found = DEFINITION.exec(text);
      return found ? { type: 'footnote', raw: found[0], label: found[1]!, tokens: this.lexer.inlineTokens(found[2]!) } : undefined;
    },
  },
  {
    name: 'footnote-mark',
    level: 'inline',
    start: (text) => find(text, /\[\^/),
    tokenizer(text) {
      const found = MARK.exec(text);
      return found ? { type: 'footnote-mark', raw: found[0], label: found[1]! } : undefined;
    },
  },
];
const MARK = new RegExp(`^${LABEL}`);

function find(text: string, pattern: RegExp): number | undefined {
  const at = text.search(pattern);
  return at < 0 ? undefined : at;
}

const marked = new Marked({ gfm: true, extensions: [...extensions] });

/** The tokens of a text in Markdown with formulas and footnotes; null when the parser gives up. */
export function parsed(text: string): readonly Token[] | null {
  try {
    return marked.lexer(text);
  } catch {
    return null;
  }
}
