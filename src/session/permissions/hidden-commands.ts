import { readShellCommand } from './shell-command.js';

export interface HiddenCommand {
  readonly words: readonly string[];
  /** Any of the words may be the command, with the words after it as arguments. */
  readonly anywhere: boolean;
}

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Words that run, or may run, the words after them as a command. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...[
    'env',
    'command',
    'builtin',
    'exec',
    'sudo',
    'doas',
    'nohup',
    'nice',
    'ionice',
    'time',
    'timeout',
    'stdbuf',
    'xargs',
    'setsid',
    'find',
    'watch',
    'busybox',
  ],
  ...['{', '!', 'if', 'then', 'elif', 'else', 'while', 'until', 'do', 'for', 'case', 'function', 'coproc'],
]);

/** Commands that run text as a command. */
const INTERPRETERS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'eval', 'source', '.', 'trap']);

/** Nested commands below this depth are treated as plain text. */
const MAX_DEPTH = 4;

/** Every simple command that may run, with false positives: after assignments and wrappers, in text for another shell, in substitutions. */
export function hiddenCommands(command: string): readonly HiddenCommand[] {
  return hiddenIn(command, 0);
}

function hiddenIn(command: string, depth: number): readonly HiddenCommand[] {
  const { parts, isPlain } = readShellCommand(command);
  const found: HiddenCommand[] = [];
  for (const part of parts) {
    const begin = part.findIndex((word) => !ASSIGNMENT.test(word));
    if (begin === -1) continue;
    const words = part.slice(begin);
    // In text that cannot be parsed, such as after a redirection, the command may begin at a later word.
    const anywhere = !isPlain || WRAPPERS.has(baseName(words[0] ?? ''));
    found.push({ words, anywhere });
    const bare = words.map(withoutExpansions);
    if (bare.some((word, index) => word !== words[index])) found.push({ words: bare.filter((word) => word !== ''), anywhere });
    if (depth >= MAX_DEPTH || !words.some((word) => INTERPRETERS.has(baseName(word)))) continue;
    for (const text of [...words.slice(1), words.slice(1).join(' ')]) found.push(...hiddenIn(text, depth + 1));
  }
  if (!isPlain && depth < MAX_DEPTH) for (const piece of piecesOf(command)) found.push(...hiddenIn(piece, MAX_DEPTH));
  return found;
}

/** Every piece that could be a command, ignoring quotes. */
const piecesOf = (command: string): readonly string[] => command.split(/[;&|\n`(){}"']|\$\(/).filter((piece) => piece.trim() !== '');

/** The word with variables empty and globs without a match. */
const withoutExpansions = (word: string): string => word.replace(/\$(?:[A-Za-z_]\w*|[0-9@*#?!$-])|[*?]/g, '');

const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1);
