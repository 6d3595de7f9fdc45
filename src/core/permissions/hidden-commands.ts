import { readShellCommand } from './shell-command.js';

export interface HiddenCommand {
  readonly words: readonly string[];
  /** Any of the words may be the one that runs, with those behind it. */
  readonly anywhere: boolean;
}

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** What stands in front and runs, or may run, what follows. */
const FORERUNNERS: ReadonlySet<string> = new Set([
  ...['env', 'command', 'builtin', 'exec', 'sudo', 'doas', 'nohup', 'nice', 'ionice', 'time', 'timeout', 'stdbuf', 'xargs', 'setsid', 'find', 'watch', 'busybox'],
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
    found.push({ words, anywhere: FORERUNNERS.has(baseName(words[0] ?? '')) });
    if (depth >= DEEPEST || !words.some((word) => INTERPRETERS.has(baseName(word)))) continue;
    for (const text of [...words.slice(1), words.slice(1).join(' ')]) found.push(...hiddenIn(text, depth + 1));
  }
  if (!isPlain && depth < DEEPEST) for (const piece of piecesOf(command)) found.push(...hiddenIn(piece, DEEPEST));
  return found;
}

/** Whatever could be a command of its own, quotes or not. */
const piecesOf = (command: string): readonly string[] => command.split(/[;&|\n`(){}"']|\$\(/).filter((piece) => piece.trim() !== '');

const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1);
