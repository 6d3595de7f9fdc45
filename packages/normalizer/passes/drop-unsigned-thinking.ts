import { loose } from '../../protocol/message/unknown-json.js';
import { perMessage, type Pass } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Thinking is sent with its signature or not at all: `messages.3.content.0.thinking.signature: Field required`, ``Invalid `signature` in
 * `thinking` block``, `each thinking block must contain thinking`. An answer cut off while thinking has no signature. Empty thinking with a signature is
 * how the API returns thinking that it does not show: it is kept.
 */
export const dropUnsignedThinking: Pass = {
  name: 'drop-unsigned-thinking',
  reason: 'the model API rejects thinking without a signature',
  ...perMessage(clean),
};

function clean(message: WorkingMessage): WorkingMessage {
  return message.kind === 'assistant' ? withBlocks(message, mapped(message.blocks, unlessUnsigned, null)) : message;
}

function unlessUnsigned(before: WorkingBlock): WorkingBlock | null {
  const { type } = before.block;
  if (type !== 'thinking' && type !== 'redacted_thinking') return before;
  const { thinking, signature, data } = loose(before.block);
  const isSigned = type === 'thinking' ? typeof thinking === 'string' && isText(signature) : isText(data);
  return isSigned ? before : null;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
