import { perMessage, type Pass } from '../pass.js';
import type { WorkingMessage } from '../working-message.js';
import { isReminder, isResult, movedInto, takesText } from './into-result.js';

/**
 * Reminders that came before the results of their turn are appended to the last result, after those that followed it: context of PostToolUse hooks precedes
 * that of PreToolUse. Needs `pair-tool-results`: the last result is known, which may be a placeholder.
 */
export const foldRemainingReminders: Pass = {
  name: 'fold-remaining-reminders',
  gate: 'system-reminder-folding',
  reason: { changed: 'contains the reminders of its turn', merged: 'a reminder in a turn of tool results becomes part of the last result' },
  ...perMessage(folded),
};

function folded(message: WorkingMessage): WorkingMessage {
  const last = message.blocks.findLast(isResult);
  const reminders = message.blocks.filter(isReminder);
  return last && takesText(last) && reminders.length > 0 ? movedInto(message, new Map([[last, reminders]])) : message;
}
