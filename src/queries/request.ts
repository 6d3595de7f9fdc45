import type { RequestRecord, SessionState } from '../core/session/state.js';
import { apiView } from '../core/view/api-view.js';
import type { Gates } from '../core/view/gates.js';
import { viewOf } from '../core/view/view-of.js';
import { prefixBreak } from './breaks.js';
import { requestSummary } from './state-views.js';
import type { RequestView } from './views.js';

/**
 * A past request beside what it was made from. The payload is rebuilt from `then`, the session as it stood when the request was built, and the settings
 * recorded with it; `verified` says that it came out the same, byte for byte.
 */
export function requestView(now: SessionState, record: RequestRecord, then: SessionState, sha256: (text: string) => string): RequestView {
  const { sent } = record;
  const input = viewOf(then, { model: sent.model, gates: sent.gates as Gates, maxTokens: sent.maxTokens });
  const view = apiView(input, sha256);
  const { shared, brokenBy } = prefixBreak(then, { model: sent.model, gates: sent.gates, digests: view.prefixDigests });
  return {
    ...requestSummary(record),
    version: now.version,
    sent,
    original: input.messages,
    payload: view.payload,
    digest: view.digest,
    recordedDigest: sent.digest,
    verified: view.digest === sent.digest,
    trace: view.trace,
    prefix: { shared, ...(brokenBy === undefined ? {} : { brokenBy }) },
  };
}
