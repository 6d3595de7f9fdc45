import { perMessage, type Pass } from '../pass.js';
import type { WorkingMessage } from '../working-message.js';

/** Messages meant for readers only: notes, and the partial output of an answer that failed. The model must not mistake them for its own. */
export const dropVirtual: Pass = {
  name: 'drop-virtual',
  reason: 'a message for readers only',
  ...perMessage(unlessVirtual),
};

function unlessVirtual(message: WorkingMessage): WorkingMessage | null {
  const { original } = message;
  return original && 'isVirtual' in original && original.isVirtual === true ? null : message;
}
