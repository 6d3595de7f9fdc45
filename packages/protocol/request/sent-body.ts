import { component } from '../message/components.js';
import type { ChangedOption } from '../message/model-options.js';
import type { Shape, TypeOf } from '../shape/shape.js';
import { choice, either, flag, integer, list, object, text } from '../shape/shapes.js';
import { TRACE_ACTIONS } from './trace-entry.js';

/** A list of which the first `keep` items are those of the base. */
export interface Continued<Item> {
  readonly keep: number;
  readonly added: readonly Item[];
}

const continued = <Item>(item: Shape<Item>): Shape<Continued<Item>> => object({ keep: integer, added: list(item) });

const sentText = object({ text: list(either(text, object({ file: text }))) });
export type SentText = TypeOf<typeof sentText>;

const storedBlock = object({ of: list(integer), without: list(text).optional() });
/** A block that is sent as it is stored. */
export type StoredBlock = TypeOf<typeof storedBlock>;

const sentBlock = either(text, sentText, storedBlock).named(
  'SentBlock',
  'A block of a request: its JSON; its JSON in parts, with files (by their SHA-256) as base64 between them; or a reference `of: [message, block]` to a stored block of the conversation, of which the members in `without` are not sent.',
);
export type SentBlock = TypeOf<typeof sentBlock>;

const sentMessage = object({ role: choice('user', 'assistant', 'system'), content: list(sentBlock) });
export type SentMessage = TypeOf<typeof sentMessage>;

const cacheMarkers = object({
  marker: text.about('The marker as JSON.'),
  system: flag.about('Whether the system prompt has one.'),
  tools: integer.nullable('Where in the text of the tools it is inserted; null: nowhere.'),
  messages: list(integer).about('The messages of which the last block has one.'),
});
export type CacheMarkers = TypeOf<typeof cacheMarkers>;

const sentNote = object({
  action: choice(...TRACE_ACTIONS),
  pass: text,
  reason: text,
  blocks: list(list(integer.nullable())).about(
    'Four numbers each: message and block in the conversation (null, null: the pass added the block), message and block in the request (null, null: it is not sent).',
  ),
});
export type SentNote = TypeOf<typeof sentNote>;

const exactPart = either(text, sentText, object({ from: integer, count: integer }));
/** A part of a body: its text, or as many parts of the base's body as `count` says, from the one of that index on. */
export type ExactPart = TypeOf<typeof exactPart>;

const edit = object({
  from: integer,
  count: integer.about('So many messages of the conversation, from `from` on, were not sent as the client wrote them.'),
  at: integer,
  sent: integer.about('So many messages of the request, from `at` on, were sent instead.'),
  of: text.about('A digest of the messages as the client wrote them.'),
});
/** A part of a client's conversation that was repaired. */
export type SentEdit = TypeOf<typeof edit>;

const receivedPart = either(text, sentText, object({ from: integer, count: integer, skip: integer }));
/** A part of what a client sent: its text, or as many parts of the body of its own request as `count` says, from the one of index `from` on, without the first `skip` characters. */
export type ReceivedPart = TypeOf<typeof receivedPart>;

const thread = object({
  type: choice('create', 'continue'),
  previous: text.nullable('The id of the answer that the request continues; null: it begins a thread.'),
  of: text.nullable(
    'The request that this answer has answered: its conversation and the answer come before the messages of the client. Null: it begins a thread.',
  ),
  received: list(receivedPart).about(
    'The body as it came, in parts. `from` and `count` name parts of the body that was sent, `skip` how many of their first characters are not of it.',
  ),
});
/** How a request of a client is part of a message thread. */
export type ThreadRecord = TypeOf<typeof thread>;

const changedOption: Shape<ChangedOption> = object({ option: text, reason: text });

/**
 * The body of a request as it was sent, and why: nothing of it is computed again. A request that continues an earlier one records only what comes after the messages of
 * that one, so that the log grows with the conversation. Blocks that are sent as they are stored are references; all others are text.
 */
export const sentBody = object({
  base: text.nullable('The earlier request of the session that this one continues; null: it stands for itself.'),
  conversation: continued(either(text, component('AnyMessage'))).about(
    'What it was made from, oldest first: as many messages as `keep` says are those of the base, then uuids of stored messages, and messages that are not stored.',
  ),
  messages: continued(sentMessage),
  options: text.about('The members before the system prompt as JSON, without the brace at the end.'),
  system: text.optional('The text of the system prompt; absent: that of the base.'),
  tools: text.optional('The tools as JSON; absent: those of the base.'),
  markers: cacheMarkers.nullable(
    'Markers for the prompt cache of the provider: whether the system prompt has one, where in the text of the tools it stands, and which messages have one in their last block.',
  ),
  trace: object({
    from: integer.about("Of the messages of the conversation before this one, the base's notes count."),
    notes: list(sentNote),
  }).about(
    'What the passes did, as it was decided: blocks by message and block in the conversation, and message and block in the request. Of the messages before `from`, the notes of the base count. A block that is referred to and has no note was kept.',
  ),
  changedOptions: list(changedOption).optional('The model options that the payload does not have as they were asked for, and why.'),
  exact: list(exactPart).optional(
    'Only of a request that a client made itself and that was passed on: its text in parts. `from` and `count` name parts of the body of the base. The body is these parts and nothing else.',
  ),
  edits: list(edit).optional(
    'Only of a request that a client made: where its messages were repaired because the model API had refused them, in order. All other messages were sent as they came.',
  ),
  thread: thread.optional(
    'Only of a request of a message thread, which went out with the whole conversation and without the member `thread`: what the client sent, and which answer it continues.',
  ),
})
  .content()
  .named('SentBody', 'The body of a request as it was sent, by reference to stored messages where it can be.');
export type SentBody = TypeOf<typeof sentBody>;
export type SentTrace = SentBody['trace'];
