import type { Pass } from '../pass.js';
import type { Working, WorkingBlock, WorkingMessage } from '../working-message.js';

/**
 * One answer of the model may be stored in pieces that share `message.id`, with tool results, or pieces of another answer, between them. It goes back as
 * the one message it was; else thinking parts from the call it led to: `thinking or redacted_thinking blocks in the latest assistant message cannot be
 * modified`. A prompt that a person typed ends the search: an id that comes back after it is another answer. Needs the passes that take virtual and
 * refused answers out.
 */
export const mergeFragments: Pass = {
  name: 'merge-fragments',
  reason: 'pieces of one answer of the model',
  run: merge,
};

function merge(messages: Working): Working {
  const first = new Map<string, number>();
  const later = new Map<number, WorkingBlock[]>();
  const gone = new Set<number>();
  messages.forEach((message, index) => {
    if (isHumanPrompt(message)) first.clear();
    const id = answerId(message);
    if (!id) return;
    const home = first.get(id);
    if (home === undefined) {
      first.set(id, index);
      return;
    }
    const blocks = later.get(home);
    if (blocks) blocks.push(...message.blocks);
    else later.set(home, [...message.blocks]);
    gone.add(index);
  });
  if (gone.size === 0) return messages;
  const result: WorkingMessage[] = [];
  messages.forEach((message, index) => {
    if (gone.has(index)) return;
    const more = later.get(index);
    result.push(more ? { ...message, blocks: [...message.blocks, ...more] } : message);
  });
  return result;
}

function answerId({ original }: WorkingMessage): string | undefined {
  return original?.type === 'assistant' ? original.message.id : undefined;
}

function isHumanPrompt({ kind, original, blocks }: WorkingMessage): boolean {
  return kind === 'user' && original?.type === 'user' && !original.isMeta && !blocks.some(({ block }) => block.type === 'tool_result');
}
