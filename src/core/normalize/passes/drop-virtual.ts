import { eachMessage, type Pass } from '../pass.js';
import type { WorkingMessage } from '../working-message.js';

/** Messages that only the reader is meant to see: notes, and what was shown of an answer that then failed. The model must not take them for its own. */
export const dropVirtual: Pass = {
  name: 'drop-virtual',
  reason: 'for readers only',
  ...eachMessage(unlessVirtual),
};

function unlessVirtual(message: WorkingMessage): WorkingMessage | null {
  const { original } = message;
  return original && 'isVirtual' in original && original.isVirtual === true ? null : message;
}
