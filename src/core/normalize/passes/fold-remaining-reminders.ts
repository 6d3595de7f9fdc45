import { eachMessage, type Pass } from '../pass.js';
import type { WorkingMessage } from '../working-message.js';
import { isReminder, isResult, movedInto, takesText } from './into-result.js';

/**
 * Reminders that came before the results of their turn go into the last of them, behind those that came after: context of PostToolUse hooks stands before
 * that of PreToolUse. Needs `pair-tool-results`: then the last result is known, be it a placeholder.
 */
export const foldRemainingReminders: Pass = {
  name: 'fold-remaining-reminders',
  gate: 'system-reminder-folding',
  reason: { changed: 'takes the reminders beside it', merged: 'a reminder beside a tool result is part of the last one' },
  ...eachMessage(folded),
};

function folded(message: WorkingMessage): WorkingMessage {
  const last = message.blocks.findLast(isResult);
  const reminders = message.blocks.filter(isReminder);
  return last && takesText(last) && reminders.length > 0 ? movedInto(message, new Map([[last, reminders]])) : message;
}
