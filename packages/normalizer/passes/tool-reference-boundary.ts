import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { TOOLS_LOADED } from '../placeholders.js';
import { added, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { hasToolSearch } from './strip-caller.js';

/**
 * The model may read a turn that ends in tool references as the end of the conversation. A short text after the results prevents this, unless texts beside such
 * results are moved away (`relocate-tool-reference-texts`). It directly follows the results, so that it stays in place when the turn grows. Needs
 * `pair-tool-results`.
 */
export const toolReferenceBoundary: Pass = {
  name: 'tool-reference-boundary',
  reason: 'a turn must not end in tool references',
  ...perMessage(bounded),
};

const isNeeded = (settings: PassSettings): boolean => hasToolSearch(settings) && !settings.gates['tool-reference-relocation'];

function bounded(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  if (!isNeeded(settings) || !message.blocks.some(hasToolReferences)) return message;
  const end = message.blocks.findLastIndex(({ block }) => block.type === 'tool_result') + 1;
  const next = message.blocks[end]?.block;
  if (next?.type === 'text' && next.text === TOOLS_LOADED) return message;
  return { ...message, blocks: message.blocks.toSpliced(end, 0, added({ type: 'text', text: TOOLS_LOADED })) };
}

export function hasToolReferences({ block }: WorkingBlock): boolean {
  return block.type === 'tool_result' && typeof block.content === 'object' && block.content.some(({ type }) => type === 'tool_reference');
}
