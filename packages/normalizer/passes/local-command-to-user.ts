import { perMessage, type Pass } from '../pass.js';
import type { WorkingMessage } from '../working-message.js';

/**
 * The output of a local command is sent as user text, as stored: the model API has no role for it (`messages: Unexpected role "system"`). Needs
 * `drop-reader-only`: no other system message is left.
 */
export const localCommandToUser: Pass = {
  name: 'local-command-to-user',
  reason: 'the output of a local command is sent as user text',
  ...perMessage(asUser),
};

function asUser(message: WorkingMessage): WorkingMessage {
  return message.kind === 'system' ? { ...message, kind: 'user' } : message;
}
