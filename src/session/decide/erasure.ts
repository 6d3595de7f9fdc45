import { DomainError } from '../../../packages/protocol/errors.js';
import type { ContentErased, NewEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../state/state.js';

/** One step of an erasure. The step was made from the log at the version of `state`: the command is executed with that version. */
export function decideErasure(step: ContentErased, state: SessionState): readonly NewEvent[] {
  requireNoHold(state);
  if (state.turn) throw new DomainError('session_busy', 'A turn is running in this session; it must end before content is erased.');
  return [{ type: 'content.erased', data: step }];
}

export function requireNoHold({ hold }: Pick<SessionState, 'hold'>): void {
  if (hold) throw new DomainError('legal_hold', 'The session is under a legal hold: nothing of it can be erased until an admin releases the hold.');
}
