import { sentBody } from '../request/sent-body.js';
import type { ObjectOf, TypeOf } from '../shape/shape.js';
import { choice, dictionary, flag, integer, list, number, object, text, uuid } from '../shape/shapes.js';
import { name } from './facts.js';

const compaction = object({
  trigger: choice('manual', 'auto').erasedAs('auto').about('`manual`: requested by a user.'),
  instructions: text.nullable("The user's instructions for the summary."),
  keptFrom: uuid.nullable('The first message that is kept verbatim after the summary; null: none.'),
  from: uuid.nullable('The first message that the summary is made from; null: the first of all.'),
  to: uuid.nullable('The first message after those that the summary is made from; null: none.'),
  omitted: integer.about('How many of the oldest summarized messages were left out for lack of room.'),
  preTokens: number.nullable('Tokens in use before the compaction; null when no request has reported them.'),
});
/** Parameters of a request for the summary of a conversation. */
export type SentCompaction = TypeOf<typeof compaction>;

const digests = {
  system: text,
  tools: text,
  messages: list(text).about(
    'Chained: each covers its message and the digest before it, so the last one identifies them all. Empty: of an earlier request, not recorded; the last one is.',
  ),
  tail: list(list(text)).about('Digests of each block of the last messages, which may grow until the next request.'),
};
/** The first half of the SHA-256 (hexadecimal) of a request's parts without cache markers, to find where two requests differ. */
export type PrefixDigests = ObjectOf<typeof digests>;

const prefix = object({
  ...digests,
  shared: integer,
  at: list(integer).optional('Positions of the digests in `messages`, ascending, the last message among them. Absent: all from `shared` on.'),
});
/** `PrefixDigests` as stored: the first `shared` message digests are those of the request before and are left out, so that the log grows by the new messages only. */
export type PrefixRecord = TypeOf<typeof prefix>;

/** Digests of everything that precedes an answer. */
export interface RequestPrefix {
  readonly system: string;
  readonly tools: string;
  /** The digest of the last message; empty when there is none. */
  readonly messages: string;
}

export const requestOrigin = object({ kind: choice('gateway'), client: text.nullable().about('Its user agent; null: it named none.') })
  .named('RequestOrigin', 'The client that sent a request through the Anthropic door.')
  .content();

export const requestRepair = object({
  of: uuid.nullable().about('The request that the model API refused as it came; null: as an earlier one of the conversation was repaired.'),
})
  .named('RequestRepair', 'A request of a client went out with repairs.')
  .content();

/** A model request, and what was sent. */
export const sentRequest = {
  requestId: uuid,
  turnId: uuid,
  ordinal: integer.about('Counts the requests of a turn from 1.'),
  at: integer.about('The version of the session that the payload was made from.'),
  model: name,
  profile: name,
  gates: dictionary(flag).about('The feature gates that were on.'),
  betas: list(name).optional('Values of the `anthropic-beta` header; absent: none.'),
  normalizer: name,
  maxTokens: integer,
  digest: text.about('SHA-256 of the request body, hexadecimal.'),
  bytes: integer,
  // Erased like the digest: digests have no salt, so a guess of short content could be tested with them.
  prefix: prefix
    .content({ system: '', tools: '', messages: [], tail: [], shared: 0 })
    .about(
      'First halves of SHA-256 digests of the parts of the request, hexadecimal; of the messages, those from `shared` on, or, when these are many, those at the positions `at`.',
    ),
  purpose: choice('compaction').optional('Absent: the request is for the next answer.'),
  origin: requestOrigin.optional('The request came through the Anthropic door, from this user agent (null: none was named). Absent: the server made it.'),
  repair: requestRepair.optional(
    'The request of a client was sent with repairs: of this request, which the model API refused; null: as an earlier request of the conversation was repaired. Absent: as the client sent it.',
  ),
  compaction: compaction.optional('Of a compaction: the inputs of the payload that are not in the log, and how the answer is used.'),
  body: sentBody.nullable('Null: erased.'),
};
export type RecordedSentRequest = ObjectOf<typeof sentRequest>;

/** Without its body. */
export type SentRequest = Omit<RecordedSentRequest, 'body'>;
