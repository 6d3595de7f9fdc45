import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Clock, TenantConfiguration, UsageStore, type Usages } from '../../ports/index.js';
import { hasModel, type ModelList, modelLists } from '../../session/tenants/model-access.js';
import { DAILY, hasLimit, HELD, limitsOf, SPENT, type Quota, type QuotaState, quotaStates, type Used, usedUp } from '../../session/tenants/quotas.js';

type Who = { readonly tenantId: string; readonly userId: string };

/** What a tenant or a user has used. */
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

interface Counters {
  readonly tenant: Counter;
  readonly user: Counter;
}

/** Tenants and users with remembered usage. */
const MAX_COUNTERS = 100_000;

/**
 * Checks quotas when prompts and sessions are accepted. What was used is read from the store at most once in QUOTA_REFRESH_MS for each user, and in between counted
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

  /** Throws `quota_exceeded` when the tenant or the user has used up a quota of the day, or for a prompt with files the storage. */
  async prompt(who: Who, hasFiles: boolean): Promise<Complete> {
    const limits = limitsOf((await this.tenants.read(who.tenantId)).quotas, who.userId);
    if (hasFiles && hasLimit(limits, ['storageBytes'])) this.#require(await this.#heldBy(who), limits, ['storageBytes']);
    if (!hasLimit(limits, DAILY)) return NOT_COUNTED;
    return this.#admit(await this.#usedBy(who), limits, DAILY);
  }

  /** Throws `quota_exceeded` when the tenant or the user has used up the tokens or the money of the day. For requests of clients, several of which answer one prompt. */
  async request(who: Who): Promise<void> {
    const limits = limitsOf((await this.tenants.read(who.tenantId)).quotas, who.userId);
    if (hasLimit(limits, SPENT)) this.#require(await this.#usedBy(who), limits, SPENT);
  }

  /** Throws `model_not_allowed` when the tenant or the user may not ask the model. */
  async model(who: Who, model: string): Promise<void> {
    await this.models(who, () => [model]);
  }

  /** Throws `model_not_allowed` when the tenant or the user may not ask one of the models, which are read only where a list binds them. */
  async models({ tenantId, userId }: Who, read: () => readonly string[]): Promise<void> {
    const lists = modelLists((await this.tenants.read(tenantId)).models, userId);
    if (lists.length === 0) return;
    for (const model of read()) {
      const missing = lists.find((list) => !hasModel(list, model));
      if (missing) throw notAllowed(model, missing);
    }
  }

  /** Throws `quota_exceeded` when the tenant or the user has as many sessions as they may have. */
  async session(who: Who): Promise<void> {
    const limits = limitsOf((await this.tenants.read(who.tenantId)).quotas, who.userId);
    if (hasLimit(limits, ['sessions'])) this.#admit(await this.#heldBy(who), limits, ['sessions'])(true);
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

  /** The limits of the tenant and of a user, and what is used of each; read now. */
  async states(who: Who): Promise<{ readonly endsAt: string; readonly states: readonly QuotaState[] }> {
    const limits = limitsOf((await this.tenants.read(who.tenantId)).quotas, who.userId);
    const { endsAt, ...used } = await this.store.today(who.tenantId, who.userId);
    const held = hasLimit(limits, HELD) ? await this.store.held(who.tenantId, who.userId) : { tenant: {}, user: {} };
    const all = { tenant: { ...used.tenant, ...held.tenant }, user: { ...used.user, ...held.user } };
    return { endsAt, states: quotaStates(limits, all, [...DAILY, ...HELD]) };
  }

  /** The quotas of stored bytes; empty: there is none. */
  async #stored(who: Who): Promise<readonly QuotaState[]> {
    const limits = limitsOf((await this.tenants.read(who.tenantId)).quotas, who.userId);
    return hasLimit(limits, ['storageBytes']) ? quotaStates(limits, await this.store.held(who.tenantId, who.userId), ['storageBytes']) : [];
  }

  async #usedBy({ tenantId, userId }: Who): Promise<Counters> {
    return this.#counters(this.#daily, tenantId, userId, async () => {
      const { endsAt, ...usages } = await this.store.today(tenantId, userId);
      return { usages, endsAt: Date.parse(endsAt) };
    });
  }

  async #heldBy({ tenantId, userId }: Who): Promise<Counters> {
    return this.#counters(this.#held, tenantId, userId, async () => ({ usages: await this.store.held(tenantId, userId), endsAt: null }));
  }

  /** One reading at a time for a user; it renews the tenant's counter, too. */
  async #counters(
    cache: Map<string, Counter>,
    tenantId: string,
    userId: string,
    read: () => Promise<{ readonly usages: Usages; readonly endsAt: number | null }>,
  ): Promise<Counters> {
    const key = `${tenantId}/${userId}`;
    const user = counterIn(cache, key);
    const tenant = counterIn(cache, tenantId);
    if (this.#isFresh(user)) return { tenant, user };
    const name = `${cache === this.#daily ? 'daily' : 'held'} ${key}`;
    const reading = this.#reading.get(name) ?? this.#read(name, { tenant, user }, read);
    await reading;
    return { tenant, user };
  }

  #isFresh({ at, endsAt }: Counter): boolean {
    return performance.now() - at < this.settings.QUOTA_REFRESH_MS && (endsAt === null || this.clock.now() < endsAt);
  }

  #read(name: string, { tenant, user }: Counters, read: () => Promise<{ readonly usages: Usages; readonly endsAt: number | null }>): Promise<void> {
    const at = performance.now();
    const before = { tenant: tenant.accepted - tenant.inFlight, user: user.accepted - user.inFlight };
    const reading = (async () => {
      try {
        const { usages, endsAt } = await read();
        Object.assign(tenant, { at, endsAt, used: usages.tenant, read: before.tenant });
        Object.assign(user, { at, endsAt, used: usages.user, read: before.user });
      } finally {
        this.#reading.delete(name);
      }
    })();
    this.#reading.set(name, reading);
    return reading;
  }

  #require({ tenant, user }: Counters, limits: ReturnType<typeof limitsOf>, quotas: readonly Quota[]): void {
    const now = this.clock.now();
    requireRoom(quotaStates(limits, { tenant: usedOf(tenant), user: usedOf(user) }, quotas), user.endsAt === null ? null : { endsAt: user.endsAt, now });
  }

  #admit(counters: Counters, limits: ReturnType<typeof limitsOf>, quotas: readonly Quota[]): Complete {
    this.#require(counters, limits, quotas);
    const both = [counters.tenant, counters.user];
    for (const counter of both) {
      counter.accepted += 1;
      counter.inFlight += 1;
    }
    return (stored) => {
      for (const counter of both) {
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
  const who = scope === 'tenant' ? 'Your tenant has' : 'You have';
  const remedy = day === null ? 'erase some, or ask an admin for a higher quota' : `the quota is renewed at ${new Date(day.endsAt).toISOString()}`;
  const reset: Readonly<Record<string, string | number>> =
    day === null ? {} : { resetsAt: new Date(day.endsAt).toISOString(), retryAfter: Math.max(1, Math.ceil((day.endsAt - day.now) / 1_000)) };
  throw new DomainError('quota_exceeded', `${who} used ${used} of ${limit} ${NAMES[quota]}; ${remedy}.`, [], { quota, scope, limit, used, ...reset });
}

function noRoom({ scope, quota, limit, used }: QuotaState, bytes: number): DomainError {
  const who = scope === 'tenant' ? 'Your tenant has' : 'You have';
  const why = `${who} used ${used} of ${limit} ${NAMES[quota]}, and these are ${bytes} more; erase some, or ask an admin for a higher quota.`;
  return new DomainError('quota_exceeded', why, [], { quota, scope, limit, used });
}

function notAllowed(model: string, { scope, names }: ModelList): DomainError {
  const who = scope === 'tenant' ? 'Your tenant may' : 'You may';
  const asked = model === '' ? 'The request names no model' : `${who} not use the model ${model.slice(0, 200)}`;
  const allowed = names.length === 0 ? 'none' : names.slice(0, 20).join(', ');
  return new DomainError('model_not_allowed', `${asked}. Allowed: ${allowed}.`, [], { scope });
}
