import type { ContentBlock } from '../../message/content.js';
import { blockKind } from '../block-kinds.js';
import { onlyKeys } from '../../message/unknown-json.js';
import { eachMessage, type Pass } from '../pass.js';
import { changed, mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Blocks are stored with what clients, streams and older requests hung on them: `messages.1.content.1.tool_use.index: Extra inputs are not permitted`,
 * `A maximum of 4 blocks with cache_control may be provided. Found 5.` Only the keys the API knows go out; of thinking, what the model signed stays byte
 * for byte. Needs `drop-unknown-blocks`: every kind left is known.
 */
export const stripExtraKeys: Pass = {
  name: 'strip-extra-keys',
  reason: 'has members that the model API does not take in a stored block',
  ...eachMessage(clean),
};

function clean(message: WorkingMessage): WorkingMessage {
  return withBlocks(message, mapped(message.blocks, stripped, null));
}

function stripped(before: WorkingBlock): WorkingBlock {
  const known = blockKind(before.block.type);
  if (!known) return before;
  const own: ContentBlock = onlyKeys(before.block, known.keys);
  const block = withSendableCitations(own);
  return block === before.block ? before : changed(before, block);
}

/** Citations come back with a key of answers only: `citations.0.char_location.file_id: Extra inputs are not permitted`. */
function withSendableCitations(block: ContentBlock): ContentBlock {
  if (block.type !== 'text' || !Array.isArray(block.citations)) return block;
  const citations = mapped(block.citations, withoutFileId, null);
  return citations === block.citations ? block : { ...block, citations };
}

function withoutFileId<T>(citation: T): T {
  if (typeof citation !== 'object' || citation === null || !('file_id' in citation)) return citation;
  const { file_id: _, ...rest } = citation;
  return rest as T;
}
