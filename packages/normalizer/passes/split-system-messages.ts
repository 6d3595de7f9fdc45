import { unreminded } from '../../protocol/message/wire-texts.js';
import type { Pass } from '../pass.js';
import { type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * What is to be said in the role `system` leaves the user turn that it stands in and follows it as a message of its own, without the tags of a reminder: a system message
 * directly follows a user turn, and is the last message or precedes an answer (docs: Mid-conversation system messages). In a turn of nothing else there is no message to
 * follow: it stays a reminder. Needs the final blocks of each user turn.
 */
export const splitSystemMessages: Pass = {
  name: 'split-system-messages',
  reason: 'a system message follows the turn of the user',
  apply: (messages) => (messages.some(isMixed) ? messages.flatMap(split) : messages),
};

function split(message: WorkingMessage): Working {
  if (!isMixed(message)) return [message];
  const said: WorkingMessage = { kind: 'system', original: null, blocks: message.blocks.filter(isOfSystem).map(withoutTags) };
  return [{ ...message, blocks: message.blocks.filter((block) => !isOfSystem(block)) }, said];
}

const isMixed = ({ kind, blocks }: WorkingMessage): boolean => kind === 'user' && blocks.some(isOfSystem) && !blocks.every(isOfSystem);

const isOfSystem = ({ system }: WorkingBlock): boolean => system !== undefined;

function withoutTags(block: WorkingBlock): WorkingBlock {
  return block.system === 'without-tags' && block.block.type === 'text' ? { ...block, block: { ...block.block, text: unreminded(block.block.text) } } : block;
}
