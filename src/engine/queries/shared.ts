import { DomainError } from '../../../packages/protocol/errors.js';
import type { LinkAccess } from '../../../packages/protocol/access/principal.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import type { SessionState } from '../../session/state/state.js';
import { readTranscript } from '../../session/transcript/transcript.js';

export interface SharedView {
  readonly data: readonly Message[];
  readonly nextCursor: string | null;
}

/** What a link shows: the transcript of the path that ends with its message. Nothing after it, no other branch, and no version, which would tell of both. */
export function sharedMessages(state: SessionState, { at }: Pick<LinkAccess, 'at'>): readonly Message[] {
  if (at !== null && !state.messages.has(at)) throw new DomainError('session_not_found', 'There is no such session.');
  return readTranscript(state, at === null ? {} : { head: at });
}

/** `after`: number of messages to skip. */
export function sharedView(state: SessionState, link: Pick<LinkAccess, 'at'>, after: number, limit: number): SharedView {
  const all = sharedMessages(state, link);
  return { data: all.slice(after, after + limit), nextCursor: after + limit < all.length ? String(after + limit) : null };
}
