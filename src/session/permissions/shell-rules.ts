import { hiddenCommands } from './hidden-commands.js';
import { readShellCommand } from './shell-command.js';
import { wildcard } from './wildcard.js';

type Words = readonly string[];

/** Whether every simple command matches one of the patterns, and nothing else runs. */
export function coversCommand(patterns: readonly string[], command: string): boolean {
  if (patterns.some((pattern) => pattern === command.trim())) return true;
  const { parts, isPlain } = readShellCommand(command);
  return isPlain && parts.length > 0 && parts.every((words) => patterns.some((pattern) => isLike(pattern, words)));
}

/** Whether any simple command, even a hidden one, matches the pattern. Prefers false positives to false negatives. */
export function touchesCommand(pattern: string, command: string): boolean {
  if (pattern === command.trim()) return true;
  return hiddenCommands(command).some(({ words, anywhere }) => {
    const byName = [baseName(words[0] ?? ''), ...words.slice(1)];
    return isLike(pattern, words) || isLike(pattern, byName) || (anywhere && isWithin(pattern, words));
  });
}

/** `git commit:*` and `git commit *` match a prefix of words; a `*` elsewhere is a wildcard; without `*` the match is exact. */
function isLike(pattern: string, words: Words): boolean {
  const { wanted, more } = wordsOf(pattern);
  if (wanted === null) return wildcard(pattern, line(words));
  return (more || wanted.length === words.length) && startsAt(words, 0, wanted);
}

/** The same for a command that begins at any of the words. */
function isWithin(pattern: string, words: Words): boolean {
  const { wanted, more } = wordsOf(pattern);
  if (wanted === null) return wildcard(`* ${pattern}`, line(words));
  return words.some((_, at) => (more || at + wanted.length === words.length) && startsAt(words, at, wanted));
}

function startsAt(words: Words, at: number, wanted: Words): boolean {
  return wanted.every((word, index) => words[at + index] === word || (index === 0 && at > 0 && baseName(words[at] ?? '') === word));
}

/** `wanted` null: the pattern has a `*` before its end. */
function wordsOf(pattern: string): { readonly wanted: Words | null; readonly more: boolean } {
  const more = pattern.endsWith(':*') || pattern.endsWith(' *');
  const start = more ? pattern.slice(0, -2) : pattern;
  return { wanted: start.includes('*') ? null : (readShellCommand(start).parts[0] ?? []), more };
}

/** Quotes words with blanks, so that two words are not matched as one. */
const line = (words: Words): string => words.map((word) => (/[\s"]/.test(word) || word === '' ? JSON.stringify(word) : word)).join(' ');

const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1);
