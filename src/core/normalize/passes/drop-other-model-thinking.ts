import type { Pass, PassContext } from '../pass.js';
import { isSameFamily } from '../../models/profiles.js';
import { mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { isThinking } from './drop-orphaned-thinking.js';

/**
 * Thinking of another model, on models that may not read it: the API would drop it without a word, or refuse the request (docs: Preserved thinking, "Switching
 * models mid-conversation"). Two releases of one family are one model. An answer that names no model of this API is left to `drop-unsigned-thinking`. Needs
 * `merge-fragments`: an answer goes by the model its first piece names.
 */
export const dropOtherModelThinking: Pass = {
  name: 'drop-other-model-thinking',
  reason: 'another model thought this, and the model of this request may not read it',
  run: (messages, context) => (context.profile.otherModelThinking === 'drop' ? mapped(messages, clean, context) : messages),
};

function clean(message: WorkingMessage, { model }: PassContext): WorkingMessage {
  const { original, blocks } = message;
  if (original?.type !== 'assistant' || !blocks.some(isThinking) || isSameFamily(original.message.model, model) !== false) return message;
  return withBlocks(message, mapped(blocks, unlessThinking, null));
}

const unlessThinking = (block: WorkingBlock): WorkingBlock | null => (isThinking(block) ? null : block);
