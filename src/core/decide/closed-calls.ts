import type { Content, ContentBlock, Json } from '../message/content.js';
import { userMessage, type Draft } from '../message/draft.js';
import { withMemoryCorrection } from '../message/memory-correction.js';
import { CANCELLED, REJECTED, REJECTED_WITH_FEEDBACK } from '../message/wire-texts.js';
import type { PromptGates } from '../gates.js';

/** Error result of a call that did not run, or not to its end. */
export function closedCall(toolUseId: string, content: string): ContentBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, is_error: true, content };
}

export interface Outcome {
  readonly toolUseId: string;
  readonly content: Content;
  readonly isError: boolean;
  readonly toolUseResult?: Json;
  /** Blocks after the result in the same message. */
  readonly siblings?: readonly ContentBlock[];
}

/** The message with the result of a call. */
export function outcomeMessage(
  { toolUseId, content, isError, toolUseResult, siblings = [] }: Outcome,
  place: { readonly uuid: string; readonly at: string },
): Draft {
  return userMessage({
    uuid: place.uuid,
    timestamp: place.at,
    isMeta: true,
    content: [{ type: 'tool_result', tool_use_id: toolUseId, content, ...(isError ? { is_error: true } : {}) }, ...siblings],
    ...(toolUseResult === undefined ? {} : { toolUseResult }),
  });
}

export function rejectedText(feedback: string | null, gates: PromptGates): string {
  return withMemoryCorrection(feedback === null ? REJECTED : `${REJECTED_WITH_FEEDBACK}\n${feedback}`, gates);
}

export function cancelledText(gates: PromptGates): string {
  return withMemoryCorrection(CANCELLED, gates);
}
