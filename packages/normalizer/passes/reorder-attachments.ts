import { INTERRUPTED, INTERRUPTED_FOR_TOOL_USE } from '../../protocol/message/wire-texts.js';
import { SYSTEM_MESSAGE } from '../../protocol/message/attachment.js';
import type { AttachmentMessage } from '../../protocol/message/message.js';
import type { Pass } from '../pass.js';
import { renderedContent } from '../rendered-attachment.js';
import type { Working, WorkingMessage } from '../working-message.js';

/**
 * Context precedes the prompt it belongs to: an attachment, stored after its prompt, moves up to the last barrier. A barrier is an assistant message, a user
 * message with tool results, a summary, the record of a failed or interrupted request, or an attachment that says that all before it was sent: moving across it would change the prefix of a request that was sent
 * (a cache miss; `The block is bound to a different conversation` on models with preserved thinking). Needs the entries that later passes remove.
 */
export const reorderAttachments: Pass = {
  name: 'reorder-attachments',
  reason: 'context precedes the prompt it belongs to',
  apply: (messages) => (needsReordering(messages) ? reordered(messages) : messages),
};

function needsReordering(messages: Working): boolean {
  let isAfterOther = false;
  for (const message of messages) {
    if (isContext(message)) {
      if (isAfterOther) return true;
    } else isAfterOther = !isBarrier(message);
  }
  return false;
}

function reordered(messages: Working): Working {
  const result: WorkingMessage[] = [];
  let waiting: WorkingMessage[] = [];
  for (const message of messages) {
    if (isBarrier(message)) {
      for (const other of waiting) result.push(other);
      result.push(message);
      waiting = [];
    } else if (isContext(message)) result.push(message);
    else waiting.push(message);
  }
  for (const other of waiting) result.push(other);
  return result;
}

/** What is sent in the role `system` comes after the prompt, wherever it is stored. */
const isContext = (message: WorkingMessage): boolean =>
  message.kind === 'attachment' && !isBarrier(message) && !(message.original?.type === 'attachment' && isSystemMessage(message.original));

function isBarrier({ kind, original, blocks }: WorkingMessage): boolean {
  if (kind === 'assistant') return true;
  if (kind === 'attachment') return original?.type === 'attachment' && (original.inPlace === true || isOfSystem(original));
  if (kind === 'system') return original?.type === 'system' && original.subtype === 'api_error';
  if (kind !== 'user') return false;
  if (original?.type === 'user' && original.isCompactSummary) return true;
  return blocks.some(({ block }) => block.type === 'tool_result' || (block.type === 'text' && isInterruption(block.text)));
}

/** What another program sent in that role came after the prompt, and what follows it was sent later. */
const isOfSystem = (message: AttachmentMessage): boolean => message.renderedRole === 'system' && renderedContent(message) !== null;

/** Whether it is sent in the role `system`, to models that take it. */
export const isSystemMessage = (message: AttachmentMessage): boolean =>
  message.standing === undefined && (isOfSystem(message) || message.attachment.type === SYSTEM_MESSAGE);

const isInterruption = (text: string): boolean => text === INTERRUPTED || text === INTERRUPTED_FOR_TOOL_USE;
