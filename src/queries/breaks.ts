import type { RequestRecord, SessionState } from '../core/session/state.js';
import type { SentRequest } from '../core/session/events.js';
import { comparePrefix } from '../core/view/prefix.js';

/** What a request is compared by, whether it went out or would. */
export type Compared = Pick<SentRequest, 'model' | 'gates' | 'prefixDigests'>;

export interface PrefixBreak {
  /** Messages the two have in common, from the first on. */
  readonly shared: number;
  /** What made them differ after that; absent when the later one only goes on. */
  readonly brokenBy?: string;
}

/**
 * Whether `later` goes on where `earlier` left off. A provider's cache, and the signatures of newer models' thinking, hold only as far as they do.
 * `state` has seen at least everything that `later` was made from.
 */
export function prefixBreak(state: SessionState, earlier: RequestRecord, later: Compared): PrefixBreak {
  const { shared, brokenAt } = comparePrefix(earlier.sent.prefixDigests, later.prefixDigests);
  if (brokenAt === undefined) return { shared };
  return { shared, brokenBy: cause(state, earlier, later, brokenAt) };
}

/** The request before `record`, if any. */
export function requestBefore(state: SessionState, record: RequestRecord | null): RequestRecord | null {
  let before: RequestRecord | null = null;
  for (const candidate of state.requests.values()) {
    if (candidate === record) break;
    before = candidate;
  }
  return before;
}

function cause(state: SessionState, earlier: RequestRecord, later: Compared, brokenAt: 'system' | 'tools' | number): string {
  if (earlier.sent.model !== later.model) return 'model';
  if (JSON.stringify(earlier.sent.gates) !== JSON.stringify(later.gates)) return 'gates';
  if (brokenAt === 'system' || brokenAt === 'tools') return `configuration: ${brokenAt}`;
  const since = earlier.sentAt;
  for (const rewind of state.rewinds.values()) {
    if (rewind.at >= since || (rewind.restoredAt !== null && rewind.restoredAt >= since)) return 'rewind';
  }
  return 'normalization';
}
