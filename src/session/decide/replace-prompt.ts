import { requestedCompaction } from '../compaction/requested.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Submission } from '../../../packages/protocol/message/submission.js';
import { resubmissionAt } from '../prompt/resubmission.js';
import { routeIn } from '../prompt/route.js';
import type { Replacement } from '../state/commands.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../state/state.js';
import { isOnPath } from '../state/tree.js';
import { decideRewind } from './rewind.js';

/** Throws unless `replaces` names a prompt of the current conversation and `submission` starts a turn in its place. */
export function requireReplaceable(submission: Submission, { before }: Replacement, state: SessionState): void {
  if (isOnPath(state, before) && resubmissionAt(state, before) === null) {
    throw new DomainError('prompt_not_found', 'Only a prompt can be replaced; this message is not one.', [
      { pointer: '/replaces', text: 'is not the message of a prompt' },
    ]);
  }
  const route = routeIn(submission);
  const startsTurn = route.kind === 'prompt' || route.kind === 'bash' || (route.kind === 'command' && route.command !== 'client');
  if (startsTurn && !requestedCompaction(submission)) return;
  throw new DomainError('unsupported_input', 'This command does not answer in a separate turn, so it cannot replace a prompt; rewind first, then send it.', [
    { pointer: '/input', text: 'is a command that cannot replace a prompt' },
  ]);
}

/** The rewind to before the replaced prompt. Throws `message_not_on_path`. */
export function replacement(submission: Submission, { rewindId, before, cause }: Replacement, state: SessionState): readonly NewEvent[] {
  return decideRewind({ type: 'Rewind', rewindId, target: { before }, reason: null }, state, '/replaces').map((event) =>
    event.type === 'session.rewound' ? { ...event, data: { ...event.data, cause, replacedBy: submission.uuid } } : event,
  );
}
