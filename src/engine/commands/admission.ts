import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Clock, TenantConfiguration, UsageStore } from '../../ports/index.js';
import type { UsageEntry } from '../../session/state/usage.js';
import { hasModel, type ModelList, modelLists } from '../../session/tenants/model-access.js';
import {
  countedFor,
  DAILY,
  HELD,
  type Limited,
  limitedOf,
  SPENT,
  type Quota,
  type QuotaScope,
  type QuotaState,
  quotaStates,
  type Used,
  type Using,
  usedUp,
} from '../../session/tenants/quotas.js';

type Who = Using & { readonly tenantId: string };

/** What a tenant, a user, a token or a session has used. */
interface Counter {
  /** When it was read, by the monotonic clock, milliseconds. */
  at: number;
  used: Used;
  /** When the day ends, milliseconds since the epoch; null: what is held does not end. */
  endsAt: number | null;
  /** What this process has accepted, ever. */
  accepted: number;
  /** Of these, what is not in the store yet. */
  inFlight: number;
  /** What was accepted and in the store when the last reading began: it may include what came after, or not. */
  read: number;
}

/** To be called when what was accepted is in the store (true), or was rejected after all. */
export type Complete = (stored: boolean) => void;

const NOT_COUNTED: Complete = () => undefined;

/** What has a limit, with what it has used. */
interface Counted {
  readonly limited: readonly Limited[];
  readonly counters: readonly Counter[];
}

type Read = () => Promise<{ readonly used: readonly Used[]; readonly endsAt: number | null }>;

/** Tenants, users, tokens and sessions with remembered usage. */
const MAX_COUNTERS = 100_000;

/**
 * Checks quotas when prompts and sessions are accepted. What was used is read from the store at most once in QUOTA_REFRESH_MS for each of them, and in between counted
 * here: prompts and sessions that this process accepts count at once, those of other processes and the tokens of completed requests after the next reading. So a quota
 * is exceeded at most by what other processes accept within that time, and by the turns that run: a turn that was accepted ends. A tenant without quotas costs nothing.
 */
@Injectable()
export class Admission {
  readonly #daily = new Map<string, Counter>();
  readonly #held = new Map<string, Counter>();
  readonly #reading = new Map<string, Promise<void>>();

  constructor(
    private readonly tenants: TenantConfiguration,
    private readonly store: UsageStore,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'QUOTA_REFRESH_MS'>,
  ) {}

  /** Throws `quota_exceeded` when the tenant, the user, the token or the session has used up a quota of the day, or for a prompt with files the storage. */
  async prompt(who: Who, hasFiles: boolean): Promise<Complete> {
    if (hasFiles) await this.#requireHeld(who, ['storageBytes']);
    const limited = await this.#limited(who, DAILY);
    return limited.length === 0 ? NOT_COUNTED : this.#admit(await this.#usedBy(who, limited), DAILY);
  }

  /** Throws `quota_exceeded` when the tenant, the user, the token or the session has used up the tokens or the money of the day. For requests of clients, several of which answer one prompt. */
  async request(who: Who): Promise<void> {
    const limited = await this.#limited(who, SPENT);
    if (limited.length > 0) this.#require(await this.#usedBy(who, limited), SPENT);
  }

  /** The token that a prompt is recorded with; null: it has no limits of its own. */
  async limitedToken({ tenantId, tokenId = null }: Who): Promise<string | null> {
    if (tokenId === null) return null;
    const { quotas, models } = await this.tenants.read(tenantId);
    return Object.hasOwn(quotas.tokens ?? {}, tokenId) || Object.hasOwn(models.tokens ?? {}, tokenId) ? tokenId : null;
  }

  /** The entries with the ids of the token and the session, where these have limits. */
  async counted(tenantId: string, sessionId: string, entries: readonly UsageEntry[]): Promise<readonly UsageEntry[]> {
    if (entries.length === 0) return entries;
    const { quotas } = await this.tenants.read(tenantId);
    return entries.map((entry) => {
      const also = countedFor(quotas, { userId: entry.userId, tokenId: entry.tokenId ?? null, sessionId });
      return also.length === 0 ? entry : { ...entry, also };
    });
  }

  /** Throws `model_not_allowed` when the tenant, the user or the token may not ask the model. */
  async model(who: Who, model: string): Promise<void> {
    await this.models(who, () => [model]);
  }

  /** Throws `model_not_allowed` when the tenant, the user or the token may not ask one of the models, which are read only where a list binds them. */
  async models({ tenantId, userId, tokenId = null }: Who, read: () => readonly string[]): Promise<void> {
    const lists = modelLists((await this.tenants.read(tenantId)).models, userId, tokenId);
    if (lists.length === 0) return;
    for (const model of read()) {
      const missing = lists.find((list) => !hasModel(list, model));
      if (missing) throw notAllowed(model, missing);
    }
  }

  /** Throws `quota_exceeded` when the tenant or the user has as many sessions as they may have. */
  async session(who: Who): Promise<void> {
    const limited = await this.#limited(who, ['sessions']);
    if (limited.length > 0) this.#admit(await this.#heldBy(who, limited), ['sessions'])(true);
  }

  /** Throws `quota_exceeded` when so many bytes of files more are not in the quotas of the tenant and the user. Read now. */
  async storage(who: Who, bytes: number): Promise<void> {
    if (bytes === 0) return;
    const full = (await this.#stored(who)).find(({ used, limit }) => used + bytes > limit);
    if (full) throw noRoom(full, bytes);
  }

  /** How many bytes of files the tenant and the user may still store; Infinity: there is no quota of them. Read now. */
  async room(who: Who): Promise<number> {
    return Math.max(0, Math.min(...(await this.#stored(who)).map(({ limit, used }) => limit - used)));
  }

  /** The limits of the tenant, of a user and of their token, and what is used of each; read now. */
  async states(who: Who): Promise<{ readonly endsAt: string; readonly states: readonly QuotaState[] }> {
    const limited = await this.#limited(who, [...DAILY, ...HELD]);
    const ids = limited.map(({ id }) => id);
    const { endsAt, used } = await this.store.today(who.tenantId, ids);
    const holds = limited.some(({ limits }) => HELD.some((quota) => limits[quota] !== undefined));
    const held = holds ? await this.store.held(who.tenantId, ids) : [];
    const all = used.map((one, index) => ({ ...one, ...held[index] }));
    return { endsAt, states: quotaStates(limited, all, [...DAILY, ...HELD]) };
  }

  async #limited(who: Who, quotas: readonly Quota[]): Promise<readonly Limited[]> {
    return limitedOf((await this.tenants.read(who.tenantId)).quotas, who, quotas);
  }

  async #requireHeld(who: Who, quotas: readonly Quota[]): Promise<void> {
    const limited = await this.#limited(who, quotas);
    if (limited.length > 0) this.#require(await this.#heldBy(who, limited), quotas);
  }

  /** The quotas of stored bytes; empty: there is none. */
  async #stored(who: Who): Promise<readonly QuotaState[]> {
    const limited = await this.#limited(who, ['storageBytes']);
    if (limited.length === 0) return [];
    const held = await this.store.held(
      who.tenantId,
      limited.map(({ id }) => id),
    );
    return quotaStates(limited, held, ['storageBytes']);
  }

  #usedBy({ tenantId }: Who, limited: readonly Limited[]): Promise<Counted> {
    const ids = limited.map(({ id }) => id);
    return this.#counted(this.#daily, tenantId, limited, async () => {
      const { endsAt, used } = await this.store.today(tenantId, ids);
      return { used, endsAt: Date.parse(endsAt) };
    });
  }

  #heldBy({ tenantId }: Who, limited: readonly Limited[]): Promise<Counted> {
    const ids = limited.map(({ id }) => id);
    return this.#counted(this.#held, tenantId, limited, async () => ({ used: await this.store.held(tenantId, ids), endsAt: null }));
  }

  /** One reading at a time of the same; it renews the counters of all. */
  async #counted(cache: Map<string, Counter>, tenantId: string, limited: readonly Limited[], read: Read): Promise<Counted> {
    const keys = limited.map(({ id }) => `${tenantId}/${id ?? ''}`);
    const counters = keys.map((key) => counterIn(cache, key));
    if (!counters.every((counter) => this.#isFresh(counter))) {
      const name = `${cache === this.#daily ? 'daily' : 'held'} ${keys.join(' ')}`;
      await (this.#reading.get(name) ?? this.#read(name, counters, read));
    }
    return { limited, counters };
  }

  #isFresh({ at, endsAt }: Counter): boolean {
    return performance.now() - at < this.settings.QUOTA_REFRESH_MS && (endsAt === null || this.clock.now() < endsAt);
  }

  #read(name: string, counters: readonly Counter[], read: Read): Promise<void> {
    const at = performance.now();
    const before = counters.map(({ accepted, inFlight }) => accepted - inFlight);
    const reading = (async () => {
      try {
        const { used, endsAt } = await read();
        counters.forEach((counter, index) => Object.assign(counter, { at, endsAt, used: used[index] ?? {}, read: before[index] }));
      } finally {
        this.#reading.delete(name);
      }
    })();
    this.#reading.set(name, reading);
    return reading;
  }

  #require({ limited, counters }: Counted, quotas: readonly Quota[]): void {
    const ends = counters[0]?.endsAt ?? null;
    requireRoom(quotaStates(limited, counters.map(usedOf), quotas), ends === null ? null : { endsAt: ends, now: this.clock.now() });
  }

  #admit(counted: Counted, quotas: readonly Quota[]): Complete {
    this.#require(counted, quotas);
    const { counters } = counted;
    for (const counter of counters) {
      counter.accepted += 1;
      counter.inFlight += 1;
    }
    return (stored) => {
      for (const counter of counters) {
        counter.inFlight -= 1;
        if (!stored) counter.accepted -= 1;
      }
    };
  }
}

/** With what was accepted since the reading began, or was on its way then: it may count twice until the next one, never not at all. */
function usedOf({ used, accepted, read }: Counter): Used {
  const more = Math.max(0, accepted - read);
  return { ...used, promptsPerDay: (used.promptsPerDay ?? 0) + more, sessions: (used.sessions ?? 0) + more };
}

function counterIn(cache: Map<string, Counter>, key: string): Counter {
  const known = cache.get(key) ?? { at: Number.NEGATIVE_INFINITY, used: {}, endsAt: null, accepted: 0, inFlight: 0, read: 0 };
  cache.delete(key);
  cache.set(key, known);
  const oldest = cache.size > MAX_COUNTERS ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  return known;
}

const HAS: Readonly<Record<QuotaScope, string>> = { tenant: 'Your tenant has', user: 'You have', token: 'This token has', session: 'This session has' };

const NAMES: Readonly<Record<Quota, string>> = {
  promptsPerDay: 'prompts per day',
  tokensPerDay: 'tokens per day',
  dollarsPerDay: 'US dollars per day',
  sessions: 'sessions',
  storageBytes: 'bytes of files',
};

function requireRoom(states: readonly QuotaState[], day: { readonly endsAt: number; readonly now: number } | null): void {
  const full = usedUp(states);
  if (!full) return;
  const { scope, quota, limit, used } = full;
  const who = HAS[scope];
  const remedy = day === null ? 'erase some, or ask an admin for a higher quota' : `the quota is renewed at ${new Date(day.endsAt).toISOString()}`;
  const reset: Readonly<Record<string, string | number>> =
    day === null ? {} : { resetsAt: new Date(day.endsAt).toISOString(), retryAfter: Math.max(1, Math.ceil((day.endsAt - day.now) / 1_000)) };
  throw new DomainError('quota_exceeded', `${who} used ${used} of ${limit} ${NAMES[quota]}; ${remedy}.`, [], { quota, scope, limit, used, ...reset });
}

function noRoom({ scope, quota, limit, used }: QuotaState, bytes: number): DomainError {
  const who = HAS[scope];
  const why = `${who} used ${used} of ${limit} ${NAMES[quota]}, and these are ${bytes} more; erase some, or ask an admin for a higher quota.`;
  return new DomainError('quota_exceeded', why, [], { quota, scope, limit, used });
}

function notAllowed(model: string, { scope, names }: ModelList): DomainError {
  const who = { tenant: 'Your tenant may', user: 'You may', token: 'This token may' }[scope];
  const asked = model === '' ? 'The request names no model' : `${who} not use the model ${model.slice(0, 200)}`;
  const allowed = names.length === 0 ? 'none' : names.slice(0, 20).join(', ');
  return new DomainError('model_not_allowed', `${asked}. Allowed: ${allowed}.`, [], { scope });
}
