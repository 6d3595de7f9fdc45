import type { PrefixDigests, PrefixRecord } from '../protocol/events/events.js';

export interface PrefixComparison {
  /** Number of leading messages the two requests share. 0 when system prompt or tools differ, since these precede the messages. */
  readonly shared: number;
  /** Where the earlier request stops being a prefix of the later one: the tools, the system prompt, or the message of this index. Absent: it is a prefix. */
  readonly brokenAt?: 'system' | 'tools' | number;
  /** The digest there was not recorded: the two may share further messages. */
  readonly isLowerBound?: true;
}

/** Most digests of messages recorded with one request. */
const MOST_RECORDED = 64;
/** Of these, for the last messages; the others are spread over all before them. */
const LAST_RECORDED = 32;

/**
 * Whether an earlier request is a prefix of a later one. Blocks may have been appended to its last message, as happens to a user turn when the request failed
 * and the user continued: that message is shared while its blocks are the leading ones, which can be checked for the last two messages of the later request.
 */
export function comparePrefix(earlier: PrefixDigests, later: PrefixDigests): PrefixComparison {
  if (earlier.tools !== later.tools) return { shared: 0, brokenAt: 'tools' };
  if (earlier.system !== later.system) return { shared: 0, brokenAt: 'system' };
  const { length } = earlier.messages;
  let shared = sharedMessages(earlier, later);
  if (shared === length - 1 && hasGrown(earlier, later, shared)) shared = length;
  if (shared === length) return { shared };
  return { shared, brokenAt: shared, ...(earlier.messages[shared] === '' ? { isLowerBound: true } : {}) };
}

/** Number of leading messages up to the last recorded digest that is equal: digests are chained, so that one stands for all before it. */
function sharedMessages({ messages: earlier }: PrefixDigests, { messages: later }: PrefixDigests): number {
  let shared = 0;
  for (let at = 0; at < earlier.length; at += 1) {
    if (earlier[at] === '') continue;
    if (earlier[at] !== later[at]) break;
    shared = at + 1;
  }
  return shared;
}

function hasGrown(earlier: PrefixDigests, later: PrefixDigests, index: number): boolean {
  const then = earlier.tail.at(-1);
  const now = later.tail[index - (later.messages.length - later.tail.length)];
  return then !== undefined && now !== undefined && then.every((digest, at) => digest === now[at]);
}

/** The digests to store for a request, as a difference to those of the request before it. Their number is bounded, whatever the length of the conversation. */
export function recordPrefix(earlier: PrefixDigests | null, digests: PrefixDigests): PrefixRecord {
  const shared = earlier ? sharedMessages(earlier, digests) : 0;
  const { messages } = digests;
  if (messages.length - shared <= MOST_RECORDED) return { ...digests, messages: messages.slice(shared), shared };
  const at = recordedPositions(shared, messages.length);
  return { ...digests, messages: at.map((position) => messages[position]!), shared, at };
}

function recordedPositions(from: number, to: number): readonly number[] {
  const spread = MOST_RECORDED - LAST_RECORDED;
  const before = to - LAST_RECORDED - from;
  return [
    ...Array.from({ length: spread }, (_, index) => from + Math.floor((index * before) / spread)),
    ...Array.from({ length: LAST_RECORDED }, (_, index) => to - LAST_RECORDED + index),
  ];
}
