import type { Usage } from '../../../packages/protocol/message/message.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';
import { costOfMiss, type Prices } from '../../../packages/normalizer/models/prices.js';
import { tokensOf } from '../../session/state/usage.js';
import type { RequestRecord, SessionState } from '../../session/state/state.js';
import type { PayloadRebuilder } from './payload-rebuilder.js';
import { prefixBreak } from './prefix-diff.js';
import { requestSummary } from './state-views.js';
import type { RequestView } from './views.js';

/**
 * A past request and its input. The payload is rebuilt from the session as of the request; `verified` means that the rebuilt payload is byte for byte the
 * one that was sent.
 */
export async function requestView(now: SessionState, record: RequestRecord, rebuilder: PayloadRebuilder, prices: Prices): Promise<RequestView> {
  const { sent } = record;
  const version = now.version;
  const isErased = sent.digest === ''; // an erasure that reaches something of a request takes its digests
  const earlierUsage = (id: string): Usage | null => now.requests.get(id)?.usage ?? null;
  const then = await rebuilder.loadAt(sent.at);
  const before = then.lastSent?.request;
  const view = await rebuilder.view(sent, then);
  const { cause, ...prefix } = await prefixBreak(then, { ...sent, view }, ({ request }) => rebuilder.view(request));
  const lost = cause === undefined || !before ? null : lostTokens(earlierUsage(before.requestId), record.usage);
  return {
    ...requestSummary(record),
    version,
    gates: { ...DEFAULT_NORMALIZE_GATES, ...sent.gates },
    original: rebuilder.inputOf(then, sent).messages,
    payload: view.payload,
    body: view.body,
    digest: view.digest,
    recordedDigest: sent.digest,
    verified: isErased ? null : view.digest === sent.digest,
    erased: isErased,
    changedOptions: view.changedOptions,
    trace: view.trace,
    betas: sent.betas ?? [],
    inputTransformations: record.inputTransformations ?? null,
    cacheDiagnostics: record.cacheDiagnostics ?? null,
    prefix: { ...prefix, ...(cause === undefined ? {} : { cause }), ...(lost === null ? {} : lossOf(lost, record, prices)) },
  };
}

/** Lost tokens, with what they cost in US dollars by the prices of now. */
function lossOf(lostTokens: number, { sent, usage }: RequestRecord, prices: Prices): Pick<RequestView['prefix'], 'lostTokens' | 'lostCost'> {
  const family = sent.profile.slice(0, sent.profile.indexOf('/'));
  const cost = costOfMiss(prices, family, tokensOf(usage ?? {}), lostTokens);
  return { lostTokens, lostCost: cost === null ? null : cost / 1e9 };
}

/** Tokens that the earlier request had in the provider's cache and this one did not read from it; null when either usage is unknown. */
function lostTokens(earlier: Usage | null, later: Usage | null): number | null {
  if (!earlier || !later) return null;
  const cached = (earlier.cache_creation_input_tokens ?? 0) + (earlier.cache_read_input_tokens ?? 0);
  return Math.max(0, cached - (later.cache_read_input_tokens ?? 0));
}
