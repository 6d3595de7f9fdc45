import type { ToolResultBlock } from '../../message/content.js';
import type { Pass } from '../pass.js';
import type { Working, WorkingBlock, WorkingMessage } from '../working-message.js';
import { isReminder, movedInto, takesText } from './into-result.js';

/**
 * The model may read a text after a tool result as the user's next turn and stop. So a reminder after a result becomes part of that result. Only results that
 * answer a call are extended, since others are about to be removed; reminders before the results are left to `fold-remaining-reminders`. Needs
 * `merge-assistants`: turns alternate, in the order of arrival.
 */
export const foldFollowingReminders: Pass = {
  name: 'fold-following-reminders',
  gate: 'system-reminder-folding',
  reason: { changed: 'contains the reminders that followed it', merged: 'a reminder after a tool result becomes part of the result' },
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

function foldTurn(message: WorkingMessage, calls: ReadonlySet<string>): WorkingMessage {
  const takes = new Map<WorkingBlock, WorkingBlock[]>();
  const open = new Set(calls);
  let latest: WorkingBlock | undefined;
  for (const one of message.blocks) {
    if (one.block.type === 'tool_result' && open.delete((one.block as ToolResultBlock).tool_use_id)) latest = one;
    else if (latest && isReminder(one) && takesText(latest)) {
      const taken = takes.get(latest);
      if (taken) taken.push(one);
      else takes.set(latest, [one]);
    }
  }
  return movedInto(message, takes);
}
