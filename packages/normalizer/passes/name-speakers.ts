import { perMessage, type Pass } from '../pass.js';
import { isPositional } from '../positional-uuid.js';
import { changed, type WorkingMessage } from '../working-message.js';

/**
 * In a session with several people the model must know who speaks. The name is stored with the message when it is made, so that a later change of the name changes
 * no earlier payload, and is sent before the first text. Needs `drop-blank-text`, and messages that are not merged yet. A text that begins with the name already is
 * not changed again.
 */
export const nameSpeakers: Pass = {
  name: 'name-speakers',
  reason: 'begins with the name of the user who wrote it, which the server is configured to tell the model',
  ...perMessage(named),
};

function named(message: WorkingMessage): WorkingMessage {
  const { kind, original, blocks } = message;
  if (kind !== 'user' || original?.type !== 'user' || original.isMeta || typeof original.speaker !== 'string' || isPositional(original.uuid)) return message;
  const prefix = `${original.speaker}: `;
  const at = blocks.findIndex(({ block }) => block.type === 'text');
  const first = blocks[at];
  if (first?.block.type !== 'text' || first.block.text.startsWith(prefix)) return message;
  return { ...message, blocks: blocks.with(at, changed(first, { ...first.block, text: prefix + first.block.text })) };
}
