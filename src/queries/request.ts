import type { Usage } from '../core/message/message.js';
import type { SentRequest } from '../core/session/events.js';
import type { RequestRecord, SessionState } from '../core/session/state.js';
import { type ApiView, type ApiViewInput, apiView } from '../core/view/api-view.js';
import type { Gates } from '../core/view/gates.js';
import { viewOf } from '../core/view/view-of.js';
import { prefixBreak } from './breaks.js';
import { requestSummary } from './state-views.js';
import type { RequestView } from './views.js';

type Sha256 = (text: string) => string;

/** What a past request was made from: the session as it stood then, and the settings recorded with it. */
export function inputOf(then: SessionState, { requestId, model, gates, maxTokens, compaction }: SentRequest): ApiViewInput {
  return viewOf(then, { model, gates: gates as Gates, maxTokens, ...(compaction ? { summary: { requestId, ...compaction } } : {}) });
}

/**
 * A past request beside what it was made from. The payload is made again from `then`, the session as it stood when the request was built; `verified` says
 * that it came out the same, byte for byte. `loadAt` gives the session at any version.
 */
export async function requestView(
  now: SessionState,
  record: RequestRecord,
  loadAt: (seq: number) => Promise<SessionState>,
  sha256: Sha256,
): Promise<RequestView> {
  const { sent } = record;
  const version = now.version;
  const earlierUsage = (id: string): Usage | null => now.requests.get(id)?.usage ?? null;
  const then = await loadAt(sent.at);
  const before = then.lastSent?.request;
  const input = inputOf(then, sent);
  const view = apiView(input, sha256);
  const again = async ({ request }: { readonly request: SentRequest }): Promise<ApiView> => apiView(inputOf(await loadAt(request.at), request), sha256);
  const { brokenBy, ...prefix } = await prefixBreak(then, { ...sent, view }, again);
  const lost = brokenBy === undefined || !before ? null : lostTokens(earlierUsage(before.requestId), record.usage);
  return {
    ...requestSummary(record),
    version,
    sent,
    original: input.messages,
    payload: view.payload,
    digest: view.digest,
    recordedDigest: sent.digest,
    verified: view.digest === sent.digest,
    trace: view.trace,
    prefix: { ...prefix, ...(brokenBy === undefined ? {} : { brokenBy }), ...(lost === null ? {} : { lostTokens: lost }) },
  };
}

/** Tokens the earlier request had put, or found, in the provider's cache and this one could not read from there; null while either has not been counted. */
function lostTokens(earlier: Usage | null, later: Usage | null): number | null {
  if (!earlier || !later) return null;
  const cached = (earlier.cache_creation_input_tokens ?? 0) + (earlier.cache_read_input_tokens ?? 0);
  return Math.max(0, cached - (later.cache_read_input_tokens ?? 0));
}
