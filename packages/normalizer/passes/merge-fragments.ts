import type { Pass } from '../pass.js';
import type { Working, WorkingBlock, WorkingMessage } from '../working-message.js';

/**
 * One answer of the model may be stored in fragments that share `message.id`, with tool results or fragments of another answer between them. It is sent as one
 * message; otherwise thinking would be separated from the call it led to: `thinking or redacted_thinking blocks in the latest assistant message cannot be
 * modified`. A user prompt ends the search: the same id after it belongs to another answer. Needs `drop-virtual` and `drop-reader-only`.
 */
export const mergeFragments: Pass = {
  name: 'merge-fragments',
  reason: 'fragments of one answer',
  apply: merge,
};

function merge(messages: Working): Working {
  const first = new Map<string, number>();
  const later = new Map<number, WorkingBlock[]>();
  const merged = new Set<number>();
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
    merged.add(index);
  });
  if (merged.size === 0) return messages;
  const result: WorkingMessage[] = [];
  messages.forEach((message, index) => {
    if (merged.has(index)) return;
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
