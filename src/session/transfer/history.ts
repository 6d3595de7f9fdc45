import { movesHead } from '../state/branches.js';
import type { MessageRecord, RestoreRecord, RewindRecord, SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';

/** A rewind or a restore, as a line of an export. */
export type MoveLine = { readonly type: 'rewind' | 'restore'; readonly at: string; readonly [member: string]: unknown };

/** What an export contains of a conversation, in the order in which it happened. */
export type HistoryStep = { readonly message: StoredMessage } | { readonly move: MoveLine };

/** All messages, and what moved the head from one to another: with both, another session has the same branches. A move of the files alone is none of them. The state may change later. */
export function historyOf(state: SessionState): readonly HistoryStep[] {
  const messages = [...state.messages.values()].map(({ message, seq }) => ({ seq, step: { message } }));
  const rewinds = [...state.rewinds.values()].filter(({ data }) => movesHead(data)).map((record) => ({ seq: record.seq, step: { move: rewindLine(record) } }));
  const restores = state.restores.filter(({ data }) => movesHead(data)).map((record) => ({ seq: record.seq, step: { move: restoreLine(record) } }));
  return [...messages, ...rewinds, ...restores].toSorted((one, other) => one.seq - other.seq).map(({ step }) => step);
}

/** The current branch alone. */
export const currentOf = (state: SessionState): readonly HistoryStep[] => path(state).map(({ message }: MessageRecord) => ({ message }));

function rewindLine({ data: { rewindId, at: _, ...data }, at }: RewindRecord): MoveLine {
  return { type: 'rewind', id: rewindId, ...data, at };
}

function restoreLine({ data: { rewindId, to, permissionMode }, at }: RestoreRecord): MoveLine {
  return { type: 'restore', rewind: rewindId, to, permissionMode, at };
}
