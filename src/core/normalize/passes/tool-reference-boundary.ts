import { eachMessage, type Pass, type PassSettings } from '../pass.js';
import { TOOLS_LOADED } from '../placeholders.js';
import { made, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { hasToolSearch } from './strip-caller.js';

/**
 * A turn that ends in names of tools can read to the model like the end of the conversation. A short text behind the results keeps it going, where the texts
 * beside such results are not moved away instead (`relocate-tool-reference-texts`). It stands directly behind the results, so that it stays there when the
 * turn grows. Needs `pair-tool-results`.
 */
export const toolReferenceBoundary: Pass = {
  name: 'tool-reference-boundary',
  reason: 'a turn that ends in names of tools reads like an end',
  ...eachMessage(bounded),
};

const isNeeded = (settings: PassSettings): boolean => hasToolSearch(settings) && !settings.gates['tool-reference-relocation'];

function bounded(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  if (!isNeeded(settings) || !message.blocks.some(namesTools)) return message;
  const end = message.blocks.findLastIndex(({ block }) => block.type === 'tool_result') + 1;
  const next = message.blocks[end]?.block;
  if (next?.type === 'text' && next.text === TOOLS_LOADED) return message;
  return { ...message, blocks: message.blocks.toSpliced(end, 0, made({ type: 'text', text: TOOLS_LOADED })) };
}

export function namesTools({ block }: WorkingBlock): boolean {
  return block.type === 'tool_result' && typeof block.content === 'object' && block.content.some(({ type }) => type === 'tool_reference');
}
