import { unreachable } from '../errors.js';
import { blocksOf, textOf } from '../message/content.js';
import type { CommandKind, Route, Submission } from '../message/submission.js';

/** What is known of the command that a submission names. */
export interface KnownCommand {
  /** Its own name, when it was called by another. */
  readonly name: string;
  readonly kind: CommandKind | 'exit';
  /** Whether it may be run from a client that controls the session from afar. */
  readonly bridgeSafe: boolean;
  readonly userInvocable: boolean;
}

export interface RouteFacts {
  /** The command of the name that `namedCommand` finds; null when there is none. */
  readonly command: KnownCommand | null;
  /** Whether the gate is on. */
  readonly ultraplan: boolean;
}

export const ULTRAPLAN = 'ultraplan';

const EXIT_WORDS: readonly string[] = ['exit', 'quit', ':q'];
const EXIT_COMMANDS: readonly string[] = ['exit', 'quit'];

/** A command's name has no second slash and no dot, which is what tells `/status` from `/var/log`. */
const COMMAND = /^\/([A-Za-z0-9][A-Za-z0-9_:-]*)(?:\s+([\s\S]*))?$/;

/** As a word of its own: no part of a longer one, of a path or of a file's name. */
const KEYWORD = new RegExp(String.raw`(?<![\p{L}\p{N}_/\\.-])${ULTRAPLAN}(?![\p{L}\p{N}_/\\-]|\.[\p{L}\p{N}])`, 'iu');

/** The name a person typed behind a slash; null when what was typed is no command. Pasted text never makes one. */
export function namedCommand(submission: Submission): string | null {
  return submission.mode === 'bash' ? null : (COMMAND.exec(typed(submission))?.[1] ?? null);
}

/** Whether the keyword was typed, as text that a command may be made of: not in pasted text, not behind a slash, not from afar. */
export function namesUltraplan(submission: Submission): boolean {
  const { mode, skipSlashCommands, bridgeOrigin } = submission;
  if (mode === 'bash' || skipSlashCommands || bridgeOrigin) return false;
  const text = typed(submission);
  return !text.startsWith('/') && KEYWORD.test(text);
}

/** Decides what becomes of a submission. Bash mode comes first, then commands, then text. */
export function routeOf(submission: Submission, { command, ultraplan }: RouteFacts): Route {
  if (submission.mode === 'bash') return { kind: 'bash' };
  const fromAfar = submission.bridgeOrigin === true;
  const plain = fromAfar || submission.skipSlashCommands === true;
  const name = namedCommand(submission);
  if (name === null) {
    if (!plain && isExitWord(submission)) return { kind: 'exit' };
    if (ultraplan && namesUltraplan(submission)) return { kind: 'command', command: 'prompt', name: ULTRAPLAN };
    return { kind: 'prompt' };
  }
  if (plain && !(fromAfar && command)) return { kind: 'prompt' };
  if (!command) return EXIT_COMMANDS.includes(name) ? { kind: 'exit' } : { kind: 'refused', name, reason: 'unknown' };
  if (fromAfar && !command.bridgeSafe) return { kind: 'refused', name, reason: 'remote' };
  if (!command.userInvocable) return { kind: 'refused', name, reason: 'model_only' };
  if (command.kind === 'exit') return { kind: 'exit' };
  return { kind: 'command', command: command.kind, name: command.name };
}

/** What a command is called with, pasted texts in it: what follows its name, or all of it where a word in the text called it. */
export function argumentsOf(submission: Submission): string {
  const text = textOf(submission.value).trim();
  return namedCommand(submission) === null ? text : (COMMAND.exec(text)?.[2] ?? '');
}

/** The route that was decided for it. What was accepted before routes were recorded can have become a prompt only, or was answered. */
export function routeIn(submission: Submission): Route {
  return submission.route ?? routeOf(submission, { command: null, ultraplan: false });
}

/** What the client is told. */
export function refusalText({ name, reason }: Extract<Route, { kind: 'refused' }>): string {
  switch (reason) {
    case 'unknown':
      return `Unknown command: /${name}`;
    case 'remote':
      return `/${name} is not available over remote control; run it in a client of the session itself.`;
    case 'model_only':
      return `/${name} is for the model to call; ask for what it does instead.`;
    default:
      return unreachable(reason);
  }
}

function typed({ original }: Submission): string {
  return textOf(original).trim();
}

function isExitWord(submission: Submission): boolean {
  return EXIT_WORDS.includes(typed(submission)) && blocksOf(submission.original).every((block) => block.type === 'text');
}
