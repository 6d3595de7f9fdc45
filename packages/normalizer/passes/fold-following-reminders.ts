import type { ToolResultBlock } from '../../protocol/message/content.js';
import type { Pass } from '../pass.js';
import type { Working, WorkingBlock, WorkingMessage } from '../working-message.js';
import { isReminder, movedInto, takesText } from './into-result.js';

/**
 * The model may read a text after a tool result as the user's next turn and stop. So a reminder about a call becomes part of the result of that call, wherever it
 * stands in the turn, and any other reminder part of the result before it. Only results that answer a call are extended, since others are about to be removed; other
 * reminders before the results are left to `fold-remaining-reminders`. Needs `merge-assistants`: turns alternate, in the order of arrival.
 */
export const foldFollowingReminders: Pass = {
  name: 'fold-following-reminders',
  gate: 'system-reminder-folding',
  reason: {
    changed: 'contains the reminders about its call, and those that followed it',
    merged: 'a reminder about a call, or after a tool result, becomes part of the result',
  },
  apply: fold,
};

function fold(messages: Working): Working {
  let result: WorkingMessage[] | null = null;
  messages.forEach((message, index) => {
    const before = messages[index - 1];
    if (message.kind !== 'user' || before?.kind !== 'assistant') return;
    const after = foldTurn(message, callsIn(before));
    if (after !== message) (result ??= messages.slice())[index] = after;
  });
  return result ?? messages;
}

function callsIn({ blocks }: WorkingMessage): ReadonlySet<string> {
  return new Set(blocks.flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : [])));
}

/** Into a result goes what follows it, then what stands before it and is about its call. */
function foldTurn(message: WorkingMessage, calls: ReadonlySet<string>): WorkingMessage {
  const results = resultsIn(message, calls);
  const [following, preceding] = [new Map<WorkingBlock, WorkingBlock[]>(), new Map<WorkingBlock, WorkingBlock[]>()];
  const passed = new Set<WorkingBlock>();
  let latest: WorkingBlock | undefined;
  for (const one of message.blocks) {
    if (one.block.type === 'tool_result') {
      if (results.get((one.block as ToolResultBlock).tool_use_id) === one) passed.add((latest = one));
      continue;
    }
    const result = results.get(one.about ?? '') ?? latest;
    if (!result || !isReminder(one) || !takesText(result)) continue;
    const takes = passed.has(result) ? following : preceding;
    const taken = takes.get(result);
    if (taken) taken.push(one);
    else takes.set(result, [one]);
  }
  for (const [result, taken] of preceding) following.set(result, following.get(result)?.concat(taken) ?? taken);
  return movedInto(message, following);
}

/** The results that answer `calls`, by the id of the call: the first of each. */
function resultsIn({ blocks }: WorkingMessage, calls: ReadonlySet<string>): ReadonlyMap<string, WorkingBlock> {
  const results = new Map<string, WorkingBlock>();
  for (const one of blocks) {
    if (one.block.type !== 'tool_result') continue;
    const { tool_use_id: id } = one.block as ToolResultBlock;
    if (calls.has(id) && !results.has(id)) results.set(id, one);
  }
  return results;
}
