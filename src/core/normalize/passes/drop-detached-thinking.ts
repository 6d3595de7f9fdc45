import type { RequestPrefix } from '../../session/events.js';
import type { Pass, Signatures } from '../pass.js';
import { mapped, payloadMessage, withBlocks, type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { withCallsLast } from './tool-calls-last.js';
import { isThinking } from './drop-orphaned-thinking.js';

/**
 * `The block is bound to a different conversation`: on models that preserve thinking a signature holds only behind the very system prompt, tools and messages it
 * was made behind, thinking in them included (docs: Preserved thinking, "Prefix checks"). Goes from front to back, so that what is compared is what is sent: an
 * answer whose request had something else in front of it loses its thinking, and whatever was signed behind the answer without it keeps its own. Thinking of
 * which it is not known what was in front of it goes too. Last of all passes.
 */
export const dropDetachedThinking: Pass = {
  name: 'drop-detached-thinking',
  reason: 'signed behind another system prompt, other tools or other messages than stand in front of it now',
  run: (messages, { profile, signatures }) => (profile.preservedThinking && signatures ? attached(messages, signatures) : messages),
};

function attached(messages: Working, signatures: Signatures): Working {
  const { front, writer } = signatures;
  const last = messages.findLastIndex(hasThinking);
  let before = '';
  const judge = (message: WorkingMessage, _: null, index: number): WorkingMessage => {
    if (index > last) return message;
    const after = hasThinking(message) ? unlessDetached(message, signatures.behind, { ...front, messages: before }) : message;
    before = writer.write(index, payloadMessage(after)).digest;
    return after;
  };
  return mapped(messages, judge, null);
}

const hasThinking = ({ kind, blocks }: WorkingMessage): boolean => kind === 'assistant' && blocks.some(isThinking);

/** Within the answer too: from the first block that is missing, or that another answer put in between, nothing is as it was signed. */
function unlessDetached(message: WorkingMessage, behind: Signatures['behind'], now: RequestPrefix): WorkingMessage {
  const uuid = message.blocks[0]?.sources[0]?.uuid ?? '';
  const then = Object.hasOwn(behind, uuid) ? behind[uuid] : undefined;
  let holds = then !== undefined && then.system === now.system && then.tools === now.tools && then.messages === now.messages;
  const judge = (block: WorkingBlock, _: null, index: number): WorkingBlock | null => {
    holds &&= isPlaced(block, uuid, index);
    return holds || !isThinking(block) ? block : null;
  };
  const blocks = mapped(message.blocks, judge, null);
  // A thought that went may have been all that kept a call in front of a text.
  return blocks === message.blocks ? message : withCallsLast(withBlocks(message, blocks));
}

const isPlaced = ({ sources: [source, another] }: WorkingBlock, uuid: string, at: number): boolean =>
  another === undefined && source?.uuid === uuid && source.index === at;
