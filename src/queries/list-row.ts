import type { SessionListItem } from '../core/ports.js';
import type { SessionState } from '../core/session/state.js';
import { conversationOf } from '../core/transcript/projection.js';

/** Whether a row of the session list is what the fold of the log says; both of the same version. */
export function isRowOf(row: SessionListItem, state: SessionState): boolean {
  const { settings, usage } = state;
  const facts =
    row.userId === state.ownerId &&
    row.title === settings.title &&
    row.model === settings.model &&
    row.status === state.status &&
    row.queueLength === state.queue.length &&
    row.turnId === (state.turn?.turnId ?? null) &&
    row.archived === (state.erased || (settings.archived ?? false));
  const isSameUsage = (Object.keys(usage) as (keyof typeof usage)[]).every((name) => row.usage[name] === usage[name]);
  // What a fork shows of its parent is not counted in its row.
  if (!facts || !isSameUsage || state.forkedFrom || state.erased) return facts && isSameUsage;
  const { messages, firstText, lastText } = conversationOf(state, state.head);
  return row.messageCount === messages && isText(row.firstText, firstText) && isText(row.lastText, lastText);
}

/** The row cannot hold some characters, and has others in their place. */
function isText(stored: string | null, text: string | null): boolean {
  // oxlint-disable-next-line no-control-regex
  return stored === (text?.toWellFormed().replace(/[\u0000-\u0003]/g, ' ') ?? null);
}
