import { readShellCommand } from './shell-command.js';

export interface HiddenCommand {
  readonly words: readonly string[];
  /** Any of the words may be the one that runs, with those behind it. */
  readonly anywhere: boolean;
}

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** What stands in front and runs, or may run, what follows. */
const FORERUNNERS: ReadonlySet<string> = new Set([
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

/** What runs a text. */
const INTERPRETERS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'eval', 'source', '.', 'trap']);

/** Commands within commands deeper than this are looked at as plain text. */
const DEEPEST = 4;

/** Every simple command that may run in it, and some that do not: behind assignments and forerunners, in texts for another shell, in substitutions. */
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
    // Behind what cannot be read, such as the name of a file that is written to, the command may begin later.
    const anywhere = !isPlain || FORERUNNERS.has(baseName(words[0] ?? ''));
    found.push({ words, anywhere });
    const bare = words.map(withoutExpansions);
    if (bare.some((word, index) => word !== words[index])) found.push({ words: bare.filter((word) => word !== ''), anywhere });
    if (depth >= DEEPEST || !words.some((word) => INTERPRETERS.has(baseName(word)))) continue;
    for (const text of [...words.slice(1), words.slice(1).join(' ')]) found.push(...hiddenIn(text, depth + 1));
  }
  if (!isPlain && depth < DEEPEST) for (const piece of piecesOf(command)) found.push(...hiddenIn(piece, DEEPEST));
  return found;
}

/** Whatever could be a command of its own, quotes or not. */
const piecesOf = (command: string): readonly string[] => command.split(/[;&|\n`(){}"']|\$\(/).filter((piece) => piece.trim() !== '');

/** Variables may be empty, and what stands for names of files may find none. */
const withoutExpansions = (word: string): string => word.replace(/\$(?:[A-Za-z_]\w*|[0-9@*#?!$-])|[*?]/g, '');

const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1);
