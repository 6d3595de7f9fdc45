import type { SessionState } from './state.js';

/** The version of the folder's files before or after a message. Before the first message of a turn: as the turn found it, before hooks and a shell command of its prompt. */
export function versionAt(state: SessionState, target: { readonly before: string } | { readonly after: string }): string | null {
  if ('after' in target) return state.messages.get(target.after)?.files ?? null;
  const record = state.messages.get(target.before);
  const turn = state.turns.get(record?.turnId ?? '');
  if (turn && turn.messages[0] === target.before) return turn.filesBefore;
  return state.messages.get(record?.message.parentUuid ?? '')?.files ?? null;
}
