import { fitBlock } from '../api-rules/inner-shapes.js';
import { withoutCitations } from '../api-rules/user-citations.js';
import type { ContentBlock } from '../../protocol/message/content.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Stored blocks carry members that clients, streams and earlier requests added, and members of other versions of the API: `messages.1.content.1.tool_use.index:
 * Extra inputs are not permitted`, `A maximum of 4 blocks with cache_control may be provided. Found 5.` Each block is repaired to the shape by which the
 * checker judges it: unknown members are removed, optional ones that do not fit too, long texts are cut. A block that cannot be repaired is left to
 * `flatten-blocks` and `drop-unknown-blocks`. The signed members of thinking are never edited. Citations are the model's: a text of a user has none.
 */
export const fitBlockShapes: Pass = {
  name: 'fit-block-shapes',
  reason: 'members that the model API does not accept in a stored block are removed or repaired',
  ...perMessage(clean),
};

function clean(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  return message.kind === 'user' || message.kind === 'assistant'
    ? withBlocks(message, mapped(message.blocks, message.kind === 'user' ? ofUser : fitted, settings))
    : message;
}

function ofUser(before: WorkingBlock, settings: PassSettings): WorkingBlock {
  const after = fitted(before, settings);
  const block = withoutCitations(after.block);
  return block === after.block ? after : changed(before, block);
}

function fitted(before: WorkingBlock, { profile }: PassSettings): WorkingBlock {
  const block = fitBlock(before.block, profile);
  return block === undefined || block === before.block ? before : changed(before, block as ContentBlock);
}
