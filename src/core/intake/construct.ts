import type { PermissionMode, SystemMessage, UserMessage } from '../message/message.js';
import { userMessage } from '../message/factory.js';
import type { Draft } from '../session/commands.js';
import { shellInput } from './shell.js';
import type { Submission } from './submission.js';

/** The message a prompt becomes: the user's, or in bash mode what was typed for the shell. */
export function promptMessage(submission: Submission, permissionMode: PermissionMode, timestamp: string): Draft<UserMessage> | Draft<SystemMessage> {
  if (submission.mode === 'bash') return shellInput(submission, timestamp);
  return userMessage({
    uuid: submission.uuid,
    timestamp,
    content: submission.value,
    permissionMode,
    ...(submission.origin === undefined || submission.origin === null ? {} : { origin: submission.origin }),
  });
}
