import type { PrefixDigests, SentRequest } from '../core/session/events.js';
import type { LastSent, SessionState } from '../core/session/state.js';
import { comparePrefix } from '../core/view/prefix.js';

/** What a request is compared by, whether it went out or would. */
export interface Compared extends Pick<SentRequest, 'model' | 'gates'> {
  readonly digests: PrefixDigests;
}

export interface PrefixBreak {
  /** The request before, if any. */
  readonly earlier: LastSent | null;
  /** Messages the two have in common, from the first on. */
  readonly shared: number;
  /** What made them differ after that; absent when the later one only goes on. */
  readonly brokenBy?: string;
}

/**
 * Whether a request made from `state` goes on where the last one before it left off. A provider's cache, and the signatures of newer models' thinking,
 * hold only as far as it does.
 */
export function prefixBreak(state: SessionState, later: Compared): PrefixBreak {
  const earlier = state.lastSent;
  if (!earlier) return { earlier, shared: 0 };
  const { shared, brokenAt } = comparePrefix(earlier.digests, later.digests);
  return brokenAt === undefined ? { earlier, shared } : { earlier, shared, brokenBy: cause(state, earlier, later, brokenAt) };
}

function cause(state: SessionState, { request, sentAt }: LastSent, later: Compared, brokenAt: 'system' | 'tools' | number): string {
  if (request.model !== later.model) return 'model';
  if (JSON.stringify(request.gates) !== JSON.stringify(later.gates)) return 'gates';
  if (brokenAt === 'system' || brokenAt === 'tools') return `configuration: ${brokenAt}`;
  for (const rewind of state.rewinds.values()) {
    if (rewind.at >= sentAt || (rewind.restoredAt !== null && rewind.restoredAt >= sentAt)) return 'rewind';
  }
  return 'normalization';
}
