import type { Json } from '../message/content.js';
import type { StoredSubmission } from '../message/submission.js';
import type { Checkpoints, Failure } from './facts.js';
import { STOP_REASON } from '../message/message-skeleton.js';
import { ID_OR_EMPTY, keepOr, list, oneOf } from '../message/skeleton-rule.js';
import { event } from './define-event.js';
import { NULL, FAILURE, SUBMISSION } from './skeleton-parts.js';

/** Events of prompts and their turns. */
export const TURN_EVENTS = {
  'prompt.submitted': event<{
    readonly submission: StoredSubmission;
    readonly disposition: 'started' | 'queued' | 'answered';
    /** For `answered`: for the client to display. */
    readonly display?: Json;
  }>({
    skeleton: { submission: SUBMISSION, disposition: keepOr('started', oneOf('started', 'queued', 'answered')) },
    quotes: 'prompt',
    changes: ['list'],
  }),

  'prompt.queued': event<{ readonly promptId: string; readonly position: number; readonly reason: 'turn_running' }>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'state'],
  }),

  'prompt.withdrawn': event<{ readonly promptId: string }>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.started': event<{ readonly turnId: string; readonly promptId: string }>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'state'],
  }),

  /** The prompt's messages are appended. `callsModel: false`: the turn ends without a model request. */
  'turn.prepared': event<{ readonly turnId: string; readonly callsModel: boolean; readonly checkpoints: Checkpoints }>({
    skeleton: null,
    quotes: null,
    changes: [],
  }),

  /** The turn waits until the client has posted the results of `toolUseIds` and a person has decided about `decisions`. */
  'turn.waiting': event<{ readonly turnId: string; readonly toolUseIds: readonly string[]; readonly decisions?: readonly string[] }>({
    skeleton: { turnId: ID_OR_EMPTY, toolUseIds: list(ID_OR_EMPTY), decisions: { items: ID_OR_EMPTY } },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.resumed': event<{ readonly turnId: string }>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'state'],
  }),

  /** `stopDetails`: of a refusal, what the API said about it. */
  'turn.completed': event<{ readonly turnId: string; readonly stopReason: string; readonly stopDetails?: Json }>({
    skeleton: { turnId: ID_OR_EMPTY, stopReason: STOP_REASON },
    quotes: null,
    changes: ['list', 'state'],
  }),

  /** A request to stop. The worker that runs the turn handles it; `turn.interrupted` follows. */
  'turn.interrupt_requested': event<{ readonly turnId: string; readonly reason: string | null }>({
    skeleton: { turnId: ID_OR_EMPTY, reason: NULL },
    quotes: null,
    changes: ['list'],
  }),

  'turn.interrupted': event<{ readonly turnId: string }>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.failed': event<{ readonly turnId: string; readonly error: Failure }>({
    skeleton: { turnId: ID_OR_EMPTY, error: FAILURE },
    quotes: 'later',
    changes: ['list', 'state'],
  }),
};
