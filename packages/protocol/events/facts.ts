import type { TypeOf } from '../shape/shape.js';
import { choice, integer, key, list, number, object, text, textLike } from '../shape/shapes.js';

/** A model or a version, on one line. */
export const name = textLike('^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$');

export const checkpoints = list(object({ label: text, at: number })).named(
  'Checkpoints',
  'When each stage of the turn began, in milliseconds since the epoch.',
);
/** When each stage of prompt processing began or ended: its public label, and milliseconds since the epoch. */
export type Checkpoints = TypeOf<typeof checkpoints>;

export const failure = object({
  code: key.about('Stable.'),
  message: text.about('Suitable for users.'),
  errorCode: text.optional('Code of the cause, as the model API reports it in `error.details.error_code`.'),
  status: integer.optional('HTTP status of the model API.'),
  providerRequestId: key.optional("The provider's id of the failed request; absent when it sent none."),
}).named('Failure');
/** Why a request or a turn failed. */
export type Failure = TypeOf<typeof failure>;

export const decision = choice('allow', 'deny', 'ask', 'reject', 'cancel').erasedAs('ask');
/** `ask`: a person must decide, with `allow`, `reject` or `cancel`. */
export type Decision = TypeOf<typeof decision>;

export const callOutcome = choice('finished', 'interrupted', 'unknown').erasedAs('unknown');
/** `interrupted`: stopped before its end. `unknown`: the process that ran it was lost. */
export type CallOutcome = TypeOf<typeof callOutcome>;
