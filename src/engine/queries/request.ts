import type { Usage } from '../../../packages/protocol/message/message.js';
import { prefixBreak } from './prefix-diff.js';
import type { SentRequests, SentView } from './sent-requests.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';
import { familyIn } from '../../../packages/normalizer/models/profiles.js';
import { costOfMiss, type Prices } from '../../../packages/normalizer/models/prices.js';
import { tokensOf } from '../../session/state/usage.js';
import type { RequestRecord, SessionState } from '../../session/state/state.js';
import { pricedRequest } from './state-views.js';
import type { RequestView } from './views.js';

/**
 * A past request, as the log has it: the body that was sent, what it was made from, and what the passes did. `verified`: the body has the digest that was recorded when it
 * was sent.
 */
export async function requestView(now: SessionState, record: RequestRecord, requests: SentRequests, prices: Prices): Promise<RequestView> {
  const { sent } = record;
  const then = await requests.before(record);
  const before = then.lastSent?.request;
  const view = await requests.view(then, sent.requestId);
  return {
    ...pricedRequest(record, prices),
    version: now.version,
    recordedBy: 'server',
    gates: { ...DEFAULT_NORMALIZE_GATES, ...sent.gates },
    betas: sent.betas ?? [],
    recordedDigest: sent.digest,
    inputTransformations: record.inputTransformations ?? null,
    cacheDiagnostics: record.cacheDiagnostics ?? null,
    ...('fault' in view ? withoutBody(view.fault) : await sentMembers(view)),
  };

  async function sentMembers(shown: SentView): Promise<BodyMembers> {
    const { original, payload, body, digest, changedOptions, trace, thread } = shown;
    const prefix = await prefixBreak(then, { ...sent, view: shown }, ({ request }) => requests.view(then, request.requestId));
    const earlierUsage = before ? (now.requests.get(before.requestId)?.usage ?? null) : null;
    const lost = prefix?.cause === undefined || !before ? null : lostTokens(earlierUsage, record.usage);
    return {
      ...{ original, payload, body, digest, changedOptions, trace, thread, verified: digest === sent.digest, erased: false, fault: null },
      prefix: prefix && { ...prefix, ...(lost === null ? {} : lossOf(lost, record, prices)) },
    };
  }
}

type BodyMembers = Pick<
  RequestView,
  'original' | 'payload' | 'body' | 'digest' | 'changedOptions' | 'trace' | 'thread' | 'verified' | 'erased' | 'fault' | 'prefix'
>;

/** An erasure that reaches something of a request takes all that it recorded. */
const withoutBody = (fault: string | null): BodyMembers => ({
  ...{ original: [], payload: null, body: 'null', digest: '', changedOptions: [], trace: [], thread: null },
  ...{ verified: fault === null ? null : false, erased: fault === null, fault, prefix: { shared: 0 } },
});

/** Lost tokens, with what they cost in US dollars by the prices of now. */
function lossOf(lostTokens: number, { sent, usage }: RequestRecord, prices: Prices): Pick<NonNullable<RequestView['prefix']>, 'lostTokens' | 'lostCost'> {
  const family = familyIn(sent.profile);
  const cost = costOfMiss(prices, family, tokensOf(usage ?? {}), lostTokens);
  return { lostTokens, lostCost: cost === null ? null : cost / 1e9 };
}

/** Tokens that the earlier request had in the provider's cache and this one did not read from it; null when either usage is unknown. */
function lostTokens(earlier: Usage | null, later: Usage | null): number | null {
  if (!earlier || !later) return null;
  const cached = (earlier.cache_creation_input_tokens ?? 0) + (earlier.cache_read_input_tokens ?? 0);
  return Math.max(0, cached - (later.cache_read_input_tokens ?? 0));
}
