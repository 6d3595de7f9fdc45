import type { PrefixDigests, PrefixRecord } from '../protocol/events/events.js';
import { messageText, type MessageText } from '../protocol/request/recorded-request.js';

/** The hexadecimal SHA-256 of a text's UTF-8 bytes, or of bytes. `bytes`: of the digest, only its first ones; the full text may be returned then, too. */
export type Sha256OfText = (text: string | Uint8Array, bytes?: number) => string;

/** Bytes; 128 bits are enough to tell prefixes apart, and several are stored with each request. */
const PREFIX_DIGEST_BYTES = 16;

/** Digests of this length are asked for: a text that is cut out of a longer one holds all of that in memory, for each message. */
export const prefixDigestBy =
  (sha256: Sha256OfText) =>
  (text: string): string =>
    sha256(text, PREFIX_DIGEST_BYTES).slice(0, 2 * PREFIX_DIGEST_BYTES);

/** Number of last messages of which the digests of single blocks are kept: blocks may have been appended to them by the next request. */
export const GROWING = 2;

/** The digests of a request of the past. `tools` is JSON; the texts have no cache markers. */
export function prefixDigestsOf(
  { system, tools, messages }: { readonly system: string; readonly tools: string; readonly messages: readonly MessageText[] },
  sha256: Sha256OfText,
): PrefixDigests {
  const digest = prefixDigestBy(sha256);
  const digests: string[] = [];
  for (const message of messages) digests.push(digest((digests.at(-1) ?? '') + messageText(message)));
  return { system: digest(system), tools: digest(tools), messages: digests, tail: messages.slice(-GROWING).map(({ blocks }) => blocks.map(digest)) };
}

/** Of a request that a client made: it is compared with none. */
export const NO_PREFIX: PrefixDigests = { system: '', tools: '', messages: [], tail: [] };

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
export function sharedMessages({ messages: earlier }: PrefixDigests, { messages: later }: PrefixDigests): number {
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
