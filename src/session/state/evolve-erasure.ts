import { messageSkeleton } from '../../../packages/protocol/message/message-skeleton.js';
import type { ContentErased } from '../../../packages/protocol/events/erasure.js';
import { fromStored } from '../../../packages/protocol/message/submission.js';
import { submissionSkeleton } from '../../../packages/protocol/events/skeleton.js';
import type { SessionState } from './state.js';
import { forgetPath } from './tree.js';
import { eraseChanges } from './workspace.js';

/**
 * The erased events themselves are folded from what is left of them: a state from before must be folded again from the log. What a fork shares is in the log of its
 * parent, which may keep it: the fork shows it no longer.
 */
export function recordErasure(state: SessionState, data: ContentErased, time: string, by: string): void {
  const { erasureId, scope, messages = null, reason } = data;
  const known = state.erasures.get(erasureId) ?? { erasureId, scope, messages, reason, by, startedAt: time, endedAt: null, events: 0, blobs: 0, bytes: 0 };
  known.events += data.events.length;
  known.blobs += data.blobs;
  known.bytes += data.bytes;
  known.endedAt = data.isComplete ? time : null;
  state.erasures.set(erasureId, known);
  eraseShared(state, messages ?? state.messages.keys());
  if (data.files) {
    eraseChanges(state.workspace, data.files);
    state.workspace.erasure = erasureId;
  }
  if (data.untitled) state.settings = { ...state.settings, title: null };
  if (scope !== 'session') return;
  state.erased = true;
  state.grants.clear();
  state.readers.clear();
  state.schedules.clear();
  state.status = 'closed';
  state.settings = { ...state.settings, title: null, archived: true };
}

function eraseShared(state: SessionState, uuids: Iterable<string>): void {
  forgetPath(state);
  for (const uuid of uuids) {
    const record = state.messages.get(uuid);
    if (!record || record.seq > 0) continue; // 0: of the parent
    state.messages.set(uuid, { ...record, message: messageSkeleton(record.message) });
    const prompt = state.prompts.get(record.promptId ?? '');
    if (prompt) state.prompts.set(prompt.submission.promptId, { ...prompt, submission: fromStored(submissionSkeleton(prompt.submission)) });
  }
}
