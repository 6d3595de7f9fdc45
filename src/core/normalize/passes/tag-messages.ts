import { shortId } from '../../message/ids.js';
import { eachMessage, type Pass } from '../pass.js';
import { changed, type WorkingMessage } from '../working-message.js';

/**
 * A tool that lets the model cut its own history needs names for what it may cut: `[id:xxxxxx]` at the end of each message that a person wrote. Needs messages
 * that are not merged yet, and blank texts gone. A text that ends in a tag has one already.
 */
export const tagMessages: Pass = {
  name: 'tag-messages',
  gate: 'history-snip',
  reason: 'carries the name by which the model can ask for it to be cut',
  ...eachMessage(tagged),
};

const TAG = /\[id:[0-9a-z]{1,6}\]$/;

function tagged(message: WorkingMessage): WorkingMessage {
  const { kind, original, blocks } = message;
  if (kind !== 'user' || original?.type !== 'user' || original.isMeta) return message;
  const at = blocks.findLastIndex(({ block }) => block.type === 'text');
  const last = blocks[at];
  if (last?.block.type !== 'text' || TAG.test(last.block.text)) return message;
  return { ...message, blocks: blocks.with(at, changed(last, { ...last.block, text: `${last.block.text}\n[id:${shortId(original.uuid)}]` })) };
}
