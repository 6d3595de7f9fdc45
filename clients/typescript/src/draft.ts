import type { ContentBlock, MessageDeltaEvent } from './api.js';

/** An answer that is still streaming. */
export interface Draft {
  readonly requestId: string;
  /** The blocks so far, in order. Arguments of tool calls are complete in the stored message only. */
  readonly blocks: readonly ContentBlock[];
}

/**
 * The draft with one more delta. A block is part of it only from its beginning: a text is not shown with a gap. Each block is sent once more for a reader that joins in the middle of an answer; those
 * that have it ignore that.
 */
export function withDelta(draft: Draft | null, { requestId, index, start, delta }: MessageDeltaEvent['data']): Draft {
  const blocks = draft?.requestId === requestId ? [...draft.blocks] : [];
  const block = start ?? blocks[index];
  if (block === undefined || (start !== undefined && index !== blocks.length)) return { requestId, blocks };
  blocks[index] = delta === undefined ? block : extended(block, delta);
  return { requestId, blocks };
}

function extended(block: ContentBlock, delta: NonNullable<MessageDeltaEvent['data']['delta']>): ContentBlock {
  if (block.type === 'text' && delta.type === 'text_delta') return { ...block, text: block.text + delta.text };
  if (block.type === 'thinking' && delta.type === 'thinking_delta') return { ...block, thinking: block.thinking + delta.thinking };
  return block;
}
