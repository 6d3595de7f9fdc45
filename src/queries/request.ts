import type { Usage } from '../core/message/message.js';
import type { RequestRecord, SessionState } from '../core/session/state.js';
import type { PayloadRebuilder } from './payload-rebuilder.js';
import { prefixBreak } from './prefix-diff.js';
import { requestSummary } from './state-views.js';
import type { RequestView } from './views.js';

/**
 * A past request beside what it was made from. The payload is made again from `then`, the session as it stood when the request was built; `verified` says
 * that it came out the same, byte for byte.
 */
export async function requestView(now: SessionState, record: RequestRecord, again: PayloadRebuilder): Promise<RequestView> {
  const { sent } = record;
  const version = now.version;
  const earlierUsage = (id: string): Usage | null => now.requests.get(id)?.usage ?? null;
  const then = await again.loadAt(sent.at);
  const before = then.lastSent?.request;
  const view = await again.view(sent, then);
  const { cause, ...prefix } = await prefixBreak(then, { ...sent, view }, ({ request }) => again.view(request));
  const lost = cause === undefined || !before ? null : lostTokens(earlierUsage(before.requestId), record.usage);
  return {
    ...requestSummary(record),
    version,
    sent,
    original: again.inputOf(then, sent).messages,
    payload: view.payload,
    digest: view.digest,
    recordedDigest: sent.digest,
    verified: view.digest === sent.digest,
    trace: view.trace,
    prefix: { ...prefix, ...(cause === undefined ? {} : { cause }), ...(lost === null ? {} : { lostTokens: lost }) },
  };
}

/** Tokens the earlier request had put, or found, in the provider's cache and this one could not read from there; null while either has not been counted. */
function lostTokens(earlier: Usage | null, later: Usage | null): number | null {
  if (!earlier || !later) return null;
  const cached = (earlier.cache_creation_input_tokens ?? 0) + (earlier.cache_read_input_tokens ?? 0);
  return Math.max(0, cached - (later.cache_read_input_tokens ?? 0));
}
