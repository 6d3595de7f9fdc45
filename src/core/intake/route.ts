import type { Submission } from './submission.js';
import { textOf } from '../message/content.js';

/** What becomes of a submission, decided before anything runs. */
export type Route =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'bash' }
  | { readonly kind: 'compact' }
  | { readonly kind: 'exit' }
  | { readonly kind: 'command'; readonly name: string; readonly args: string };

const EXIT_WORDS: readonly string[] = ['exit', 'quit', ':q', '/exit', '/quit'];

/** A command's name has no second slash and no dot, which is what tells `/status` from `/var/log`. */
const COMMAND = /^\/([A-Za-z0-9][A-Za-z0-9_:-]*)(?:\s+([\s\S]*))?$/;

export function routeOf(submission: Submission): Route {
  if (submission.mode === 'bash') return { kind: 'bash' };
  if (submission.mode === 'compact') return { kind: 'compact' };
  const text = textOf(submission.value);
  if (EXIT_WORDS.includes(text)) return { kind: 'exit' };
  const command = submission.skipSlashCommands ? null : COMMAND.exec(text);
  return command?.[1] ? { kind: 'command', name: command[1], args: command[2] ?? '' } : { kind: 'prompt' };
}
