/** A parsed shell command. */
export interface ShellCommand {
  /** The words of each simple command in it, without their quotes. */
  readonly parts: readonly (readonly string[])[];
  /** Whether `parts` is everything that runs and no file is written. False when that cannot be determined without a shell. */
  readonly isPlain: boolean;
}

/** Redirections that write no file: to another output, or to and from /dev/null. */
const HARMLESS = /(?:>&[0-9]|&?>>?[ \t]*\/dev\/null|<[ \t]*\/dev\/null)(?=[ \t\n;&|]|$)/y;

const ESCAPED_IN_QUOTES = '$`"\\\n';

/** Parses a command as bash does, as far as possible without running it; anything else makes it not plain. */
export function readShellCommand(text: string): ShellCommand {
  return new Reader(text).read();
}

class Reader {
  readonly #parts: (readonly string[])[] = [];
  #words: string[] = [];
  /** Null between words. */
  #word: string | null = null;
  #quoted = false;
  #isPlain = true;
  #at = 0;

  constructor(private readonly text: string) {}

  read(): ShellCommand {
    while (this.#at < this.text.length) this.#step(this.text.charAt(this.#at));
    this.#endPart();
    return { parts: this.#parts, isPlain: this.#isPlain };
  }

  #step(character: string): void {
    switch (character) {
      case "'":
        return this.#singleQuoted();
      case '"':
        return this.#doubleQuoted();
      case '\\':
        return this.#escaped();
      case ' ':
      case '\t':
        this.#endWord();
        break;
      case '<':
      case '>':
        return this.#redirection();
      case '&':
        if (this.text[this.#at + 1] === '>') return this.#redirection();
        this.#endPart();
        break;
      case '\n':
      case ';':
      case '|':
        this.#endPart();
        break;
      case '(':
      case ')':
      case '`':
        this.#isPlain = false;
        this.#endPart();
        break;
      case '#':
        if (this.#word === null) this.#isPlain = false;
        this.#add(character);
        break;
      case '$':
        if (opensExpansion(this.text[this.#at + 1], true)) this.#isPlain = false;
        this.#add(character);
        break;
      default:
        this.#add(character);
    }
    this.#at += 1;
  }

  #singleQuoted(): void {
    const end = this.text.indexOf("'", this.#at + 1);
    if (end === -1) this.#isPlain = false;
    this.#add(this.text.slice(this.#at + 1, end === -1 ? undefined : end));
    this.#quoted = true;
    this.#at = end === -1 ? this.text.length : end + 1;
  }

  #doubleQuoted(): void {
    this.#add('');
    this.#quoted = true;
    for (this.#at += 1; this.#at < this.text.length; this.#at += 1) {
      const character = this.text.charAt(this.#at);
      const next = this.text[this.#at + 1];
      if (character === '"') {
        this.#at += 1;
        return;
      }
      if (character === '\\' && next !== undefined && ESCAPED_IN_QUOTES.includes(next)) {
        if (next !== '\n') this.#add(next);
        this.#at += 1;
        continue;
      }
      if (character === '`' || (character === '$' && opensExpansion(next, false))) this.#isPlain = false;
      this.#add(character);
    }
    this.#isPlain = false;
  }

  #escaped(): void {
    const next = this.text[this.#at + 1];
    if (next === undefined) this.#isPlain = false;
    else if (next !== '\n') {
      this.#add(next);
      this.#quoted = true;
    }
    this.#at += 2;
  }

  #redirection(): void {
    HARMLESS.lastIndex = this.#at;
    const length = HARMLESS.exec(this.text)?.[0].length;
    if (length === undefined) this.#isPlain = false;
    // A number directly before a redirection is its file descriptor.
    if (this.#word !== null && !this.#quoted && /^[0-9]+$/.test(this.#word)) this.#word = null;
    this.#endWord();
    this.#at += length ?? 1;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): void {
    if (this.#word !== null) this.#words.push(this.#word);
    this.#word = null;
    this.#quoted = false;
  }

  #endPart(): void {
    this.#endWord();
    if (this.#words.length > 0) this.#parts.push(this.#words);
    this.#words = [];
  }
}

/** Whether the character after a `$` makes it an expansion other than a variable's value. */
function opensExpansion(next: string | undefined, outsideQuotes: boolean): boolean {
  return next !== undefined && (outsideQuotes ? '({[\'"' : '({[').includes(next);
}
