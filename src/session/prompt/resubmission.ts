import { blocksOf } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { SessionState } from '../state/state.js';
import { type ClientSubmission, resubmission } from './accept.js';

/**
 * The prompt of a message, in the form in which a client can resubmit it; null when the message is not a prompt. A prompt of an imported file has no submission:
 * its message is what was sent.
 */
export function resubmissionAt(state: SessionState, uuid: string): ClientSubmission | null {
  const record = state.messages.get(uuid);
  if (!record) return null;
  const submitted = record.promptId === null ? null : resubmissionOf(state, record.promptId);
  if (submitted) return submitted;
  const { message } = record;
  if (message.type !== 'user' || !isTyped(message)) return null;
  return { input: message.content, mode: 'prompt', skipSlashCommands: true };
}

/** The prompt with this id, which may wait in the queue; null when the session has none. */
export function resubmissionOf(state: SessionState, promptId: string): ClientSubmission | null {
  const submission = state.prompts.get(promptId)?.submission;
  return submission === undefined ? null : resubmission(submission);
}

/** Uuid of the newest prompt of the current conversation; null when it has none. */
export function lastPrompt(state: SessionState): string | null {
  for (let uuid = state.head; uuid !== null; uuid = state.messages.get(uuid)?.message.parentUuid ?? null) {
    if (resubmissionAt(state, uuid) !== null) return uuid;
  }
  return null;
}

function isTyped(message: Extract<StoredMessage, { type: 'user' }>): boolean {
  if (message.isMeta || message.isVirtual || message.isCompactSummary || message.isInterruption) return false;
  return blocksOf(message.content).every(({ type }) => type === 'text' || type === 'image' || type === 'document');
}
