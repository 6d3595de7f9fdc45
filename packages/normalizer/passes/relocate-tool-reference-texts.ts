import type { Pass } from '../pass.js';
import type { Working, WorkingBlock, WorkingMessage } from '../working-message.js';
import { hasToolReferences } from './tool-reference-boundary.js';

/**
 * The alternative to `tool-reference-boundary`: texts beside results with tool references move to the next turn whose results have none. Until there is such a
 * turn they stay, so each move breaks the prefix once. Needs `pair-tool-results`.
 */
export const relocateToolReferenceTexts: Pass = {
  name: 'relocate-tool-reference-texts',
  gate: 'tool-reference-relocation',
  reason: 'moved out of a turn of tool references',
  apply: relocate,
};

function relocate(messages: Working): Working {
  let result: WorkingMessage[] | null = null;
  let target = -1;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as WorkingMessage;
    if (!message.blocks.some(isResult)) continue;
    if (!message.blocks.some(hasToolReferences)) target = index;
    else if (target >= 0 && message.blocks.some(isText)) {
      result ??= messages.slice();
      const receiver = result[target] as WorkingMessage;
      const end = receiver.blocks.findLastIndex(isResult) + 1;
      result[index] = { ...message, blocks: message.blocks.filter((block) => !isText(block)) };
      result[target] = { ...receiver, blocks: receiver.blocks.toSpliced(end, 0, ...message.blocks.filter(isText)) };
    }
  }
  return result ?? messages;
}

const isText = ({ block, system }: WorkingBlock): boolean => system === undefined && block.type === 'text';
const isResult = ({ block }: WorkingBlock): boolean => block.type === 'tool_result';
