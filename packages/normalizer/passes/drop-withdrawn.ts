import { withdraws, withdrawnIn } from '../../protocol/message/withdrawn.js';
import type { Pass } from '../pass.js';
import type { Working } from '../working-message.js';

/**
 * A turn that the model refused is taken back: with it in the conversation, the model refuses the turns after it, too (docs: Handling stop reasons, `refusal`: reset
 * the context before continuing). In an import, what a fallback to another model took back. Needs the notes that `drop-reader-only` removes, and runs before any pass that joins messages.
 */
export const dropWithdrawn: Pass = {
  name: 'drop-withdrawn',
  reason: 'the model refused this turn, so it was taken back',
  apply: (messages) => (messages.some(({ original }) => original && withdraws(original)) ? withoutWithdrawn(messages) : messages),
};

function withoutWithdrawn(messages: Working): Working {
  const withdrawn = withdrawnIn(messages.flatMap(({ original }) => original ?? []));
  return messages.filter(({ original }) => !original || !withdrawn.has(original.uuid));
}
