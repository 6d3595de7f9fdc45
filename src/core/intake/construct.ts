import type { UserMessage } from '../message/message.js';
import type { PermissionMode } from '../message/message.js';
import { userMessage } from '../message/factory.js';
import type { Draft } from '../session/commands.js';
import type { Submission } from './submission.js';

/** The user message a prompt becomes. */
export function promptMessage(submission: Submission, permissionMode: PermissionMode, timestamp: string): Draft<UserMessage> {
  return userMessage({
    uuid: submission.uuid,
    timestamp,
    content: submission.value,
    permissionMode,
    ...(submission.origin === undefined || submission.origin === null ? {} : { origin: submission.origin }),
  });
}
