import type { Pass, PassContext } from '../pass.js';
import { isSameFamily } from '../models/profiles.js';
import { mapped } from '../../protocol/mapped.js';
import { withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { isThinking } from './drop-orphaned-thinking.js';

/**
 * Thinking of another model, on models that cannot read it: the API drops it silently or rejects the request (docs: Preserved thinking, "Switching models
 * mid-conversation"). Releases of one family count as one model. An answer that names no model of this API is left to `drop-unsigned-thinking`. Needs
 * `merge-fragments`: the first fragment of an answer names its model.
 */
export const dropOtherModelThinking: Pass = {
  name: 'drop-other-model-thinking',
  reason: 'thinking of another model, which the model of this request cannot read',
  apply: (messages, context) => (context.profile.otherModelThinking === 'drop' ? mapped(messages, clean, context) : messages),
};

function clean(message: WorkingMessage, { model }: PassContext): WorkingMessage {
  const { original, blocks } = message;
  if (original?.type !== 'assistant' || !blocks.some(isThinking) || isSameFamily(original.message.model, model) !== false) return message;
  return withBlocks(message, mapped(blocks, unlessThinking, null));
}

const unlessThinking = (block: WorkingBlock): WorkingBlock | null => (isThinking(block) ? null : block);
