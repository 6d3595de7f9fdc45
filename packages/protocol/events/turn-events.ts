import { component } from '../message/components.js';
import { STOP_REASONS } from '../message/message-skeleton.js';
import { storedSubmission } from '../message/submission.js';
import { choice, flag, integer, json, key, list, text, textLike, uuid } from '../shape/shapes.js';
import { ID_OR_EMPTY } from '../shape/skeleton-rule.js';
import { event } from './define-event.js';
import { checkpoints, failure } from './facts.js';

/** Ids of tool calls, each in its place. */
const toolUseIds = list(key).keeping({ items: ID_OR_EMPTY });

/** Events of prompts and their turns. */
export const TURN_EVENTS = {
  'prompt.submitted': event({
    about: 'A prompt was accepted.',
    data: {
      submission: storedSubmission,
      disposition: choice('started', 'queued', 'answered'),
      display: component('Display').optional('Of `answered`: what the client displays.'),
    },
    quotes: 'prompt',
    changes: ['list'],
  }),

  'prompt.queued': event({
    about: 'The prompt is queued. Reload the queue.',
    data: { promptId: uuid, position: integer, reason: choice('turn_running') },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'prompt.withdrawn': event({
    about: 'The prompt was removed from the queue.',
    data: { promptId: uuid },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.started': event({
    about: 'The turn of a prompt runs.',
    data: { turnId: uuid, promptId: uuid },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.prepared': event({
    about: 'The prompt was converted into messages.',
    data: { turnId: uuid, callsModel: flag.about('false: the turn ends without a model request.'), checkpoints },
    neverErased: true,
    quotes: null,
    changes: [],
  }),

  'turn.waiting': event({
    about: 'The turn waits: for results of the client of `toolUseIds`, for decisions on `decisions`, and for the ends of the helpers that carry out `helpers`.',
    data: { turnId: uuid, toolUseIds, decisions: toolUseIds.optional(), helpers: toolUseIds.optional() },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.resumed': event({
    about: 'The turn runs again.',
    data: { turnId: uuid },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.completed': event({
    about: 'The turn has ended; after a refusal it is `refused`.',
    data: {
      turnId: uuid,
      // Hooks end turns with their own texts.
      stopReason: textLike(STOP_REASONS).erasedAs('erased'),
      stopDetails: json.optional('Of a refusal: what the model API said about it.'),
    },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.interrupt_requested': event({
    about: 'An interrupt was requested; `turn.interrupted` follows.',
    data: { turnId: uuid, reason: text.nullable() },
    quotes: null,
    changes: ['list'],
  }),

  'turn.interrupted': event({
    about: 'The turn was interrupted.',
    data: { turnId: uuid },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'turn.failed': event({
    about: 'The turn failed.',
    data: { turnId: uuid, error: failure },
    quotes: 'later',
    changes: ['list', 'state'],
  }),
};
