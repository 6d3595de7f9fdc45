import { costOf, type PricedTokens, type Prices } from '../../../packages/normalizer/models/prices.js';
import { familyIn, profileFor } from '../../../packages/normalizer/models/profiles.js';
import type { Usage } from '../../../packages/protocol/message/message.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import { helperTurn } from './helper.js';
import type { SessionState, Turn } from './state.js';

/** What an append adds to the usage of a user, with one model family, in the session and on the day of the append. */
export interface UsageEntry {
  readonly userId: string;
  /** Family, such as `claude-opus-5-5`, or `unknown`: not the id that a client chose. */
  readonly model: string;
  readonly prompts: number;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  /** Billionths of a US dollar, by the prices at the time of the request. */
  readonly cost: number;
  /** The token of the prompt, where that has limits of its own, or of a client's request. */
  readonly tokenId?: string;
  /** Ids of the token and the session that it counts for besides, where they have limits. */
  readonly also?: readonly string[];
}

/** Whom an append acts for. */
export interface ActsFor {
  readonly userId: string;
  /** Of a client whose request it reports. */
  readonly tokenId: string | null;
}

/**
 * The usage in `events`, which are appended to `state`. A prompt counts for the user who submitted it, a request for the user of the prompt that it
 * answers, the request for a title for the owner of the session. Requests that failed report no tokens and do not count.
 */
export function usageIn(state: SessionState, actor: ActsFor, events: readonly NewEvent[], prices: Prices): readonly UsageEntry[] {
  const entries = new Map<string, UsageEntry>();
  // The prompt with which a helper is created is the model's.
  const isHelper = events.some((event) => event.type === 'session.created' && event.data.parent !== undefined);
  for (const event of isHelper ? [] : events) {
    const entry = entryOf(state, actor, event, prices);
    if (!entry) continue;
    const key = `${entry.userId} ${entry.model} ${entry.tokenId ?? ''}`;
    const known = entries.get(key);
    entries.set(key, known ? sum(known, entry) : entry);
  }
  return [...entries.values()];
}

function entryOf(state: SessionState, { userId, tokenId }: ActsFor, event: NewEvent, prices: Prices): UsageEntry | null {
  switch (event.type) {
    case 'prompt.submitted':
      return { ...NOTHING, userId, model: profileFor(state.settings.model).family, prompts: 1, ...by(event.data.submission.tokenId) };
    case 'request.completed': {
      const { requestId, turnId, usage } = event.data;
      const profile = state.requests.get(requestId)?.sent.profile ?? 'unknown/';
      const turn = state.turns.get(turnId);
      // Without a turn a client made the request, and what reports it acts for the user of that client.
      const speaker = turn ? speakerOf(state, turn, userId) : userId;
      const token = turn ? state.prompts.get(turn.promptId)?.submission.tokenId : tokenId;
      return { ...requestEntry(speaker, familyIn(profile), usage, prices), ...by(token) };
    }
    case 'session.titled':
      return requestEntry(state.ownerId ?? userId, profileFor(event.data.model).family, event.data.usage, prices);
    default:
      return null;
  }
}

const by = (tokenId: string | null | undefined): Pick<UsageEntry, 'tokenId'> => (tokenId === null || tokenId === undefined ? {} : { tokenId });

/** Who asks the model in the running turn: the owner of the session, the user of its prompt, and of a helper the one whose prompt had it made. `tokenId`: with which token, if that has limits. */
export function askersOf(state: SessionState): { readonly users: ReadonlySet<string>; readonly tokenId: string | null } {
  const { turn, parent, ownerId } = state;
  const { by: asker, submission } = state.prompts.get(turn?.promptId ?? '') ?? {};
  const speaker = helperTurn(state)?.turnId === turn?.turnId ? parent?.speaker : null;
  const users = [ownerId, asker, speaker].filter((id) => id !== null && id !== undefined);
  return { users: new Set(users), tokenId: submission?.tokenId ?? null };
}

/** The turn of a helper counts for the user whose prompt had it made. */
function speakerOf(state: SessionState, turn: Turn, otherwise: string): string {
  if (state.parent && helperTurn(state) === turn) return state.parent.speaker;
  return state.prompts.get(turn.promptId)?.by ?? state.ownerId ?? otherwise;
}

const NOTHING = { prompts: 0, requests: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, cost: 0 };

function requestEntry(userId: string, model: string, usage: Usage, prices: Prices): UsageEntry {
  const tokens = tokensOf(usage);
  return {
    userId,
    model,
    prompts: 0,
    requests: 1,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheCreationTokens: tokens.cacheWrite + tokens.cacheWriteHour,
    cost: costOf(prices, model, tokens),
  };
}

/** `cache_creation` splits the tokens written to the cache by their lifetime; without it they live five minutes. */
export function tokensOf(usage: Usage): PricedTokens {
  const written = count(usage.cache_creation_input_tokens);
  const hour = Math.min(written, count(loose(usage['cache_creation'])['ephemeral_1h_input_tokens']));
  return {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite: written - hour,
    cacheWriteHour: hour,
  };
}

/** Of one request: far above any context window. */
export const MAX_TOKENS = 1_000_000_000;

/** Counts are the provider's, so they may be anything; one that is no count must not break the append. */
function count(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, MAX_TOKENS) : 0;
}

function sum(one: UsageEntry, other: UsageEntry): UsageEntry {
  return {
    ...one,
    prompts: one.prompts + other.prompts,
    requests: one.requests + other.requests,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheCreationTokens: one.cacheCreationTokens + other.cacheCreationTokens,
    cost: one.cost + other.cost,
  };
}
