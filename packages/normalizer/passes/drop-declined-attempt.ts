import { perMessage, type Pass } from '../pass.js';
import { withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * When a model declines and a fallback model continues, the answer contains both attempts with a `fallback` block between them. Thinking, calls and connector
 * text of the declined attempt must not be sent back (docs: Refusals and fallback), and the block itself needs a beta header that requests do not have. Text
 * before it was shown and is kept. Needs `merge-fragments`: an answer is judged as a whole.
 */
export const dropDeclinedAttempt: Pass = {
  name: 'drop-declined-attempt',
  reason: 'belongs to the attempt of a model that declined before a fallback model answered',
  ...perMessage(withoutDeclined),
};

const DECLINED: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking', 'connector_text', 'tool_use', 'server_tool_use']);

function withoutDeclined(message: WorkingMessage): WorkingMessage {
  if (message.kind !== 'assistant') return message;
  const last = message.blocks.findLastIndex(isFallback);
  if (last < 0) return message;
  const isKept = (one: WorkingBlock, index: number): boolean => !isFallback(one) && (index > last || !DECLINED.has(one.block.type));
  return withBlocks(message, message.blocks.filter(isKept));
}

const isFallback = ({ block }: WorkingBlock): boolean => (block.type as string) === 'fallback';
