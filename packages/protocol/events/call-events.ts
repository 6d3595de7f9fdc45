import { hookRun } from '../hooks/hook-run.js';
import { component } from '../message/components.js';
import { STOP_REASONS, USAGE_OR_NONE } from '../message/message-skeleton.js';
import { decidedBy } from '../permissions/decided-by.js';
import { flag, json, jsonObject, key, list, number, text, time, uuid } from '../shape/shapes.js';
import { keep } from '../shape/skeleton-rule.js';
import { event } from './define-event.js';
import { callOutcome, decision, failure } from './facts.js';
import { sentRequest } from './sent-request.js';

/** `toolUseId`: in bash mode the prompt's id. */
const call = { turnId: uuid, toolUseId: key, name: text };

const resultOfCall = {
  deferred: list(component('MessageDraft')).optional('The messages of its result, which are appended once the calls before it have theirs.'),
  endReason: text.optional('Why the turn ends once its calls have results.'),
};

/** Events of what a turn does: calls of tools, hooks and requests to the model. */
export const CALL_EVENTS = {
  'tool.decided': event({
    about: 'A tool call was decided.',
    data: {
      ...call,
      decision,
      by: decidedBy,
      reason: text.optional(),
      feedback: text.optional('Text for the model from the person who rejected the call.'),
      updatedInput: jsonObject.optional('Replaces the input of the call.'),
      ...resultOfCall,
    },
    quotes: 'call',
    changes: ['state'],
  }),

  'tool.started': event({
    about: 'A tool call is about to run. Without `tool.completed`, its effect is unknown, unless a helper carries it out.',
    data: { ...call, input: json.content({}), helper: uuid.optional('The session that carries the call out; it may not exist yet.') },
    quotes: 'call',
    changes: ['state'],
  }),

  'tool.completed': event({
    about: 'A tool call has ended.',
    data: { ...call, outcome: callOutcome, isError: flag, durationMs: number, ...resultOfCall },
    quotes: 'call',
    changes: ['state'],
  }),

  'hook.completed': event({
    about: 'A hook has run.',
    data: { ...hookRun, turnId: uuid.nullable() },
    quotes: 'turn',
    changes: [],
  }),

  'request.sent': event({
    about: 'A request was sent to the model.',
    data: sentRequest,
    quotes: 'later',
    changes: ['state'],
  }),

  'request.completed': event({
    about: 'The model answered.',
    data: {
      requestId: uuid,
      turnId: uuid,
      providerRequestId: key.nullable(),
      stopReason: text.nullable().keeping(keep(STOP_REASONS, 'null'), 'erased'),
      usage: component('ModelUsage').keeping(USAGE_OR_NONE),
      durationMs: number,
      cacheDiagnostics: component('CacheDiagnostics').optional('Why the prompt cache was missed, as the model API reported it. Absent: it reported nothing.'),
      inputTransformations: list(component('InputTransformation')).optional(
        'Changes that the model API made to the input, such as dropped thinking blocks. Absent: it reported none.',
      ),
    },
    quotes: 'later',
    changes: ['list', 'state'],
  }),

  'request.failed': event({
    about: 'The request failed. Deltas received for it are void.',
    data: {
      requestId: uuid,
      turnId: uuid,
      error: failure,
      durationMs: number,
      retryAt: time.nullable('When it is retried; null: it is not.'),
    },
    quotes: 'later',
    changes: ['list'],
  }),
};
