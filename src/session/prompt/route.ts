import { unreachable } from '../../../packages/protocol/errors.js';
import { blocksOf, textOf } from '../../../packages/protocol/message/content.js';
import type { CommandKind, Route, Submission } from '../../../packages/protocol/message/submission.js';

/** The command that a submission names. */
export interface KnownCommand {
  /** Its canonical name, which may differ from the typed alias. */
  readonly name: string;
  readonly kind: CommandKind | 'exit';
  /** Whether remote-control clients may run it. */
  readonly bridgeSafe: boolean;
  readonly userInvocable: boolean;
}

export interface RouteFacts {
  /** The command with the name that `namedCommand` returns; null when it does not exist. */
  readonly command: KnownCommand | null;
  /** State of the gate `ultraplan`. */
  readonly ultraplan: boolean;
}

export const ULTRAPLAN = 'ultraplan';

const EXIT_WORDS: readonly string[] = ['exit', 'quit', ':q'];
const EXIT_COMMANDS: readonly string[] = ['exit', 'quit'];

/** A command's name has no second slash and no dot; this distinguishes `/status` from `/var/log`. */
const COMMAND = /^\/([A-Za-z0-9][A-Za-z0-9_:-]*)(?:\s+([\s\S]*))?$/;

/** The keyword as a whole word, not part of a path or file name. */
const KEYWORD = new RegExp(String.raw`(?<![\p{L}\p{N}_/\\.-])${ULTRAPLAN}(?![\p{L}\p{N}_/\\-]|\.[\p{L}\p{N}])`, 'iu');

/** The name after a typed slash; null when the text is not a command. Pasted text never is. */
export function namedCommand(submission: Submission): string | null {
  return submission.mode === 'bash' ? null : (COMMAND.exec(typed(submission))?.[1] ?? null);
}

/** Whether the keyword was typed as plain text: not in pasted text, not in a command. Over remote control it counts, too: the command is safe there. */
export function namesUltraplan(submission: Submission): boolean {
  const { mode, skipSlashCommands, bridgeOrigin } = submission;
  if (mode === 'bash' || (skipSlashCommands && !bridgeOrigin)) return false;
  const text = typed(submission);
  return !text.startsWith('/') && KEYWORD.test(text);
}

/** Decides how a submission is processed: bash mode first, then commands, then text. */
export function routeOf(submission: Submission, { command, ultraplan }: RouteFacts): Route {
  if (submission.mode === 'bash') return { kind: 'bash' };
  const isRemote = submission.bridgeOrigin === true;
  const plain = isRemote || submission.skipSlashCommands === true;
  const name = namedCommand(submission);
  if (name === null) {
    if (!plain && isExitWord(submission)) return { kind: 'exit' };
    if (ultraplan && namesUltraplan(submission)) return { kind: 'command', command: 'prompt', name: ULTRAPLAN };
    return { kind: 'prompt' };
  }
  if (plain && !(isRemote && command)) return { kind: 'prompt' };
  if (!command) return EXIT_COMMANDS.includes(name) ? { kind: 'exit' } : { kind: 'rejected', name, reason: 'unknown' };
  if (isRemote && !command.bridgeSafe) return { kind: 'rejected', name, reason: 'remote' };
  if (!command.userInvocable) return { kind: 'rejected', name, reason: 'model_only' };
  if (command.kind === 'exit') return { kind: 'exit' };
  return { kind: 'command', command: command.kind, name: command.name };
}

/** The arguments of a command, with pasted texts expanded: the text after its name, or the whole text where a keyword selected the command. */
export function argumentsOf(submission: Submission): string {
  const text = textOf(submission.value).trim();
  return namedCommand(submission) === null ? text : (COMMAND.exec(text)?.[2] ?? '');
}

/** The recorded route. Submissions stored before routes were recorded were prompts, or were answered. */
export function routeIn(submission: Submission): Route {
  return submission.route ?? routeOf(submission, { command: null, ultraplan: false });
}

/** The error text for the client. */
export function rejectionText({ name, reason }: Extract<Route, { kind: 'rejected' }>): string {
  switch (reason) {
    case 'unknown':
      return `Unknown command: /${name}`;
    case 'remote':
      return `/${name} is not available over remote control; run it in a client on the session itself.`;
    case 'model_only':
      return `/${name} can be called by the model only; describe the task in a prompt instead.`;
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
