import type { Content, ContentBlock, Json } from '../../../packages/protocol/message/content.js';
import { userMessage, type Draft } from '../../../packages/protocol/message/draft.js';
import { withMemoryCorrection } from '../../../packages/protocol/message/memory-correction.js';
import { CANCELLED, REJECTED, REJECTED_WITH_FEEDBACK, reminder } from '../../../packages/protocol/message/wire-texts.js';
import type { PromptGates } from '../../../packages/protocol/gates.js';
import { memoryInUse } from '../state/memory-owner.js';
import type { SessionState } from '../state/state.js';

/** Error result of a call that did not run, or not to its end. */
export function closedCall(toolUseId: string, content: string): ContentBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, is_error: true, content };
}

export interface Outcome {
  readonly toolUseId: string;
  readonly content: Content;
  readonly isError: boolean;
  readonly toolUseResult?: Json;
  /** A line for the model about each image in `content`; `inner` is the index of the image's block. */
  readonly notes?: readonly { readonly text: string; readonly inner: number }[];
  /** Blocks after the result in the same message. */
  readonly siblings?: readonly ContentBlock[];
}

/** The message with the result of a call, and the lines about its images. */
export function outcomeMessage(
  { toolUseId, content, isError, toolUseResult, notes = [], siblings = [] }: Outcome,
  { uuid, at }: { readonly uuid: string; readonly at: string },
): Draft {
  const lines = isError ? [] : notes; // of an error result only texts are sent
  const result: ContentBlock = { type: 'tool_result', tool_use_id: toolUseId, content, ...(isError ? { is_error: true } : {}) };
  return userMessage({
    uuid,
    timestamp: at,
    isMeta: true,
    content: [result, ...lines.map(({ text }): ContentBlock => ({ type: 'text', text: reminder(text) })), ...siblings],
    ...(lines.length === 0 ? {} : { describes: [null, ...lines.map(({ inner }) => ({ uuid, index: 0, inner }))] }),
    ...(toolUseResult === undefined ? {} : { toolUseResult }),
  });
}

/** `at`: when the call is closed, as the time of an event. */
type Closing = { readonly gates: PromptGates; readonly at: string };

export function rejectedText(feedback: string | null, state: SessionState, closing: Closing): string {
  return withNote(feedback === null ? REJECTED : `${REJECTED_WITH_FEEDBACK}\n${feedback}`, state, closing);
}

export function cancelledText(state: SessionState, closing: Closing): string {
  return withNote(CANCELLED, state, closing);
}

const withNote = (text: string, state: SessionState, { gates, at }: Closing): string =>
  withMemoryCorrection(text, gates, memoryInUse(state, Date.parse(at)) !== null);
