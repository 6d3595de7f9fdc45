import { eachMessage, type Pass } from '../pass.js';
import type { WorkingMessage } from '../working-message.js';

/**
 * The output of a command that ran here, not at the model, is something the user shows the model: it becomes user text, as stored. There is no role
 * for it (`messages: Unexpected role "system"`). Needs `drop-reader-only`: no other system message is left.
 */
export const localCommandToUser: Pass = {
  name: 'local-command-to-user',
  reason: 'the output of a local command is shown to the model as user text',
  ...eachMessage(asUser),
};

function asUser(message: WorkingMessage): WorkingMessage {
  return message.kind === 'system' ? { ...message, kind: 'user' } : message;
}
