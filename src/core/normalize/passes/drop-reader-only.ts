import { eachMessage, type Pass } from '../pass.js';
import type { WorkingMessage } from '../working-message.js';

/**
 * Entries of the log that are no part of the conversation: progress, tombstones, summaries of tool calls, stored refusals of the provider, and every
 * system message but the output of a local command. Sent as they are they would be refused: `role 'system' is not supported on this model`.
 */
export const dropReaderOnly: Pass = {
  name: 'drop-reader-only',
  reason: 'a record for readers, not part of the conversation',
  ...eachMessage(unlessReaderOnly),
};

function unlessReaderOnly(message: WorkingMessage): WorkingMessage | null {
  const { kind, original } = message;
  if (kind === 'reader') return null;
  if (original?.type === 'system' && original.subtype !== 'local_command') return null;
  if (original?.type === 'assistant' && (original.isApiErrorMessage || original.apiError)) return null;
  return message;
}
