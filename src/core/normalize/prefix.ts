import type { PrefixDigests, PrefixRecord } from '../session/events.js';

export interface PrefixComparison {
  /** Number of leading messages the two requests share. 0 when system prompt or tools differ, since these precede the messages. */
  readonly shared: number;
  /** Where the earlier request stops being a prefix of the later one: the tools, the system prompt, or the message of this index. Absent: it is a prefix. */
  readonly brokenAt?: 'system' | 'tools' | number;
}

/**
 * Whether an earlier request is a prefix of a later one. Blocks may have been appended to its last message, as happens to a user turn when the request failed
 * and the user continued: that message is shared while its blocks are the leading ones, which can be checked for the last two messages of the later request.
 */
export function comparePrefix(earlier: PrefixDigests, later: PrefixDigests): PrefixComparison {
  if (earlier.tools !== later.tools) return { shared: 0, brokenAt: 'tools' };
  if (earlier.system !== later.system) return { shared: 0, brokenAt: 'system' };
  const { length } = earlier.messages;
  let shared = 0;
  while (shared < length && earlier.messages[shared] === later.messages[shared]) shared += 1;
  if (shared === length - 1 && hasGrown(earlier, later, shared)) shared = length;
  return shared === length ? { shared } : { shared, brokenAt: shared };
}

function hasGrown(earlier: PrefixDigests, later: PrefixDigests, index: number): boolean {
  const then = earlier.tail.at(-1);
  const now = later.tail[index - (later.messages.length - later.tail.length)];
  return then !== undefined && now !== undefined && then.every((digest, at) => digest === now[at]);
}

/** The digests to store for a request, as a difference to those of the request before it. */
export function recordPrefix(earlier: PrefixDigests | null, digests: PrefixDigests): PrefixRecord {
  let shared = 0;
  while (earlier && shared < earlier.messages.length && earlier.messages[shared] === digests.messages[shared]) shared += 1;
  return { ...digests, messages: digests.messages.slice(shared), shared };
}
