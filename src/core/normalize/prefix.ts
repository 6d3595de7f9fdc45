import type { PrefixDigests, PrefixRecord } from '../session/events.js';

export interface PrefixComparison {
  /** How many messages from the first on the later request has in common with the earlier. None, where system prompt or tools differ: they stand in front. */
  readonly shared: number;
  /** Where the earlier request stops being a prefix of the later: in the tools, the system prompt, or the message of this index. Absent: it is one. */
  readonly brokenAt?: 'system' | 'tools' | number;
}

/**
 * Whether an earlier request is a prefix of a later one. Its last message may have grown by blocks, as a user turn does when the request failed and the user
 * went on: it counts as shared while its blocks are the first ones of that message, which is known of the later request's last two messages.
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

/** What the log keeps of a request's digests, given those of the request before it. */
export function recordPrefix(earlier: PrefixDigests | null, digests: PrefixDigests): PrefixRecord {
  let shared = 0;
  while (earlier && shared < earlier.messages.length && earlier.messages[shared] === digests.messages[shared]) shared += 1;
  return { ...digests, messages: digests.messages.slice(shared), shared };
}
