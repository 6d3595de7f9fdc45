import { shortId } from '../../protocol/message/ids.js';
import { isPositional } from '../positional-uuid.js';
import { perMessage, type Pass } from '../pass.js';
import { changed, type WorkingMessage } from '../working-message.js';

/**
 * A tool with which the model removes parts of its own history needs names for them: `[id:xxxxxx]` at the end of each message that a person wrote. Needs
 * `drop-blank-text`, and messages that are not merged yet. A text that ends in a tag is not tagged again, and a message without a
 * uuid of its own is not tagged: no one could resolve its tag.
 */
export const tagMessages: Pass = {
  name: 'tag-messages',
  gate: 'history-snip',
  reason: 'tagged with the id by which the model can remove it from its history',
  ...perMessage(tagged),
};

const TAG = /\[id:[0-9a-z]{1,6}\]$/;

function tagged(message: WorkingMessage): WorkingMessage {
  const { kind, original, blocks } = message;
  if (kind !== 'user' || original?.type !== 'user' || original.isMeta || isPositional(original.uuid)) return message;
  const at = blocks.findLastIndex(({ block }) => block.type === 'text');
  const last = blocks[at];
  if (last?.block.type !== 'text' || TAG.test(last.block.text)) return message;
  return { ...message, blocks: blocks.with(at, changed(last, { ...last.block, text: `${last.block.text}\n[id:${shortId(original.uuid)}]` })) };
}
