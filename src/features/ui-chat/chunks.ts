import type { Json } from '../../../packages/protocol/message/content.js';

/**
 * Chunks of the UI message stream of the AI SDK, version 1 (packages/ai/src/ui-message-stream/ui-message-chunks.ts of github.com/vercel/ai): those that are sent
 * here. One UI message is one turn; a step is one request to the model. `dynamic`: the client need not know the tool.
 */
export type Chunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: { readonly sessionId: string; readonly turnId?: string } }
  | { readonly type: 'start-step' | 'finish-step' }
  /** Removes the parts of the current step. */
  | { readonly type: 'reset-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | (ToolCallChunk & { readonly type: 'tool-input-start' })
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | (ToolCallChunk & { readonly type: 'tool-input-available'; readonly input: Json })
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  /** Not sent: see SentChunks. */
  | { readonly type: 'tool-approval-response'; readonly approvalId: string; readonly approved: boolean; readonly reason?: string }
  | { readonly type: 'tool-output-available'; readonly toolCallId: string; readonly output: Json; readonly providerExecuted?: true; readonly dynamic: true }
  | { readonly type: 'tool-output-error'; readonly toolCallId: string; readonly errorText: string; readonly dynamic: true }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | { readonly type: 'data-notice'; readonly id: string; readonly data: Notice }
  | { readonly type: 'data-progress'; readonly id: string; readonly data: Json; readonly transient: true }
  | { readonly type: 'finish'; readonly finishReason: FinishReason }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'error'; readonly errorText: string };

interface ToolCallChunk {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly dynamic: true;
  /** The model's provider runs it. */
  readonly providerExecuted?: true;
}

export interface Notice {
  readonly subtype: string;
  readonly level: string;
  readonly text: string;
}

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** The finish reason of a turn that ended with a stop reason of the model API. */
export function finishReasonOf(stopReason: string): FinishReason {
  switch (stopReason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content-filter';
    case 'tool_use':
      return 'tool-calls';
    default:
      return 'other';
  }
}
