import type { RequestPrefix } from '../../protocol/events/events.js';
import type { Pass, Signatures } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { payloadMessage, withBlocks, type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { withCallsLast } from './tool-calls-last.js';
import { isThinking } from './drop-orphaned-thinking.js';
import { answerOf } from './drop-unattributed-thinking.js';

/**
 * `The block is bound to a different conversation`: on models with preserved thinking a signature is valid only after the exact system prompt, tools and
 * messages under which it was made, their thinking included (docs: Preserved thinking, "Prefix checks"). Messages are checked from first to last, so that what
 * is compared is what is sent: an answer made under another prefix loses its thinking, and later thinking is checked against the conversation without it.
 * Needs `drop-unattributed-thinking`, which leaves only thinking of a known prefix, and every other pass to have run.
 */
export const dropDetachedThinking: Pass = {
  name: 'drop-detached-thinking',
  reason: 'its signature belongs to another system prompt, other tools, or other messages or blocks than precede it now',
  apply: (messages, { profile, signatures }) => (profile.preservedThinking && signatures ? withValidThinking(messages, signatures) : messages),
};

function withValidThinking(messages: Working, signatures: Signatures): Working {
  const { current, serializer, prefixes } = signatures;
  const last = messages.findLastIndex(hasThinking);
  let before = serializer.after;
  const checked = (message: WorkingMessage, _: null, index: number): WorkingMessage => {
    if (index > last) return message;
    const after = hasThinking(message) ? unlessDetached(message, prefixes, { ...current, messages: before }) : message;
    before = serializer.serialize(index, payloadMessage(after)).digest;
    return after;
  };
  return mapped(messages, checked, null);
}

const hasThinking = ({ kind, blocks }: WorkingMessage): boolean => kind === 'assistant' && blocks.some(isThinking);

/** Inside an answer, signatures are invalid from the first block on that is missing or that comes from another answer. */
function unlessDetached(message: WorkingMessage, prefixes: Signatures['prefixes'], now: RequestPrefix): WorkingMessage {
  const uuid = answerOf(message);
  const then = Object.hasOwn(prefixes, uuid) ? prefixes[uuid] : undefined;
  let isValid = then !== undefined && then.system === now.system && then.tools === now.tools && then.messages === now.messages;
  const checked = (block: WorkingBlock, _: null, index: number): WorkingBlock | null => {
    isValid &&= isInPlace(block, uuid, index);
    return isValid || !isThinking(block) ? block : null;
  };
  const blocks = mapped(message.blocks, checked, null);
  // Removed thinking may have been the reason to keep a call before a text.
  return blocks === message.blocks ? message : withCallsLast(withBlocks(message, blocks));
}

const isInPlace = ({ sources: [source, another] }: WorkingBlock, uuid: string, at: number): boolean =>
  another === undefined && source?.uuid === uuid && source.index === at;
