import type { SessionState } from './state.js';

/** The version of the folder's files before or after a message. Before the first message of a turn: as the turn found it, before hooks and a shell command of its prompt. */
export function versionAt(state: SessionState, target: { readonly before: string } | { readonly after: string }): string | null {
  if ('after' in target) return state.messages.get(target.after)?.files ?? null;
  const record = state.messages.get(target.before);
  if (record?.filesBefore !== undefined) return record.filesBefore;
  return state.messages.get(record?.message.parentUuid ?? '')?.files ?? null;
}
