import { INTERRUPTED, INTERRUPTED_FOR_TOOL_USE } from '../../message/wire-texts.js';
import type { Pass } from '../pass.js';
import type { Working, WorkingMessage } from '../working-message.js';

/**
 * Context comes before what it is context of: an attachment, stored after the prompt it came with, moves up to the last point the model has already
 * seen. Such a point is an assistant message, a user message with tool results, a summary, or the note that a request failed or was interrupted: to cross it
 * would rewrite the prefix of a request that went out (a cache miss; "The block is bound to a different conversation" on models that bind thinking).
 * Runs first: it needs the entries that later passes take out.
 */
export const reorderAttachments: Pass = {
  name: 'reorder-attachments',
  reason: 'context stands before the prompt it belongs to',
  run: (messages) => (needsReordering(messages) ? reordered(messages) : messages),
};

function needsReordering(messages: Working): boolean {
  let behindOther = false;
  for (const message of messages) {
    if (message.kind === 'attachment') {
      if (behindOther) return true;
    } else behindOther = !isBarrier(message);
  }
  return false;
}

function reordered(messages: Working): Working {
  const result: WorkingMessage[] = [];
  let waiting: WorkingMessage[] = [];
  for (const message of messages) {
    if (message.kind === 'attachment') result.push(message);
    else if (!isBarrier(message)) waiting.push(message);
    else {
      for (const other of waiting) result.push(other);
      result.push(message);
      waiting = [];
    }
  }
  for (const other of waiting) result.push(other);
  return result;
}

function isBarrier({ kind, original, blocks }: WorkingMessage): boolean {
  if (kind === 'assistant') return true;
  if (kind === 'system') return original?.type === 'system' && original.subtype === 'api_error';
  if (kind !== 'user') return false;
  if (original?.type === 'user' && original.isCompactSummary) return true;
  return blocks.some(({ block }) => block.type === 'tool_result' || (block.type === 'text' && isInterruption(block.text)));
}

const isInterruption = (text: string): boolean => text === INTERRUPTED || text === INTERRUPTED_FOR_TOOL_USE;
