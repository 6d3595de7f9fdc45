import { perMessage, type Pass } from '../pass.js';
import type { WorkingMessage } from '../working-message.js';

/**
 * Entries of the transcript that are not part of the conversation: progress, tombstones, summaries of tool calls, stored provider errors, and system messages
 * other than the output of a local command: `role 'system' is not supported on this model`.
 */
export const dropReaderOnly: Pass = {
  name: 'drop-reader-only',
  reason: 'an entry for readers, not part of the conversation',
  ...perMessage(unlessReaderOnly),
};

function unlessReaderOnly(message: WorkingMessage): WorkingMessage | null {
  const { kind, original } = message;
  if (kind === 'reader') return null;
  if (original?.type === 'system' && original.subtype !== 'local_command') return null;
  if (original?.type === 'assistant' && (original.isApiErrorMessage || original.apiError)) return null;
  return message;
}
