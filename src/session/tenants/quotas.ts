/** Limits on use; an absent one is none. */
export interface Limits {
  readonly promptsPerDay?: number;
  /** Input, output, and what is written to the prompt cache. Reads from the cache do not count. */
  readonly tokensPerDay?: number;
  /** US dollars, by the prices of the deployment. */
  readonly dollarsPerDay?: number;
  /** Sessions that are not erased. */
  readonly sessions?: number;
  /** Bytes of images, documents and files of sessions. */
  readonly storageBytes?: number;
}

export type Quota = keyof Limits;

/** Limits on use in a day. */
export type DailyLimits = Pick<Limits, 'promptsPerDay' | 'tokensPerDay' | 'dollarsPerDay'>;

/** What a tenant, its users, tokens and sessions may use. `users`, `sessions`: limits of single ones, by id, each as a whole instead of `user` and `session`. */
export interface Quotas {
  readonly tenant?: Limits;
  readonly user?: Limits;
  readonly users?: Readonly<Record<string, Limits>>;
  readonly tokens?: Readonly<Record<string, DailyLimits>>;
  readonly session?: DailyLimits;
  readonly sessions?: Readonly<Record<string, DailyLimits>>;
}

export type QuotaScope = 'tenant' | 'user' | 'token' | 'session';

/** Who uses something: a user, by a token, in a session. */
export interface Using {
  readonly userId: string;
  /** Null, absent: by none. */
  readonly tokenId?: string | null;
  readonly sessionId?: string;
}

/** Something with limits. `id`: null of the tenant. */
export interface Limited {
  readonly scope: QuotaScope;
  readonly id: string | null;
  readonly limits: Limits;
}

export const DAILY: readonly Quota[] = ['promptsPerDay', 'tokensPerDay', 'dollarsPerDay'];
/** What requests use of it. */
export const SPENT: readonly Quota[] = ['tokensPerDay', 'dollarsPerDay'];
export const HELD: readonly Quota[] = ['sessions', 'storageBytes'];

export type Used = Readonly<Partial<Record<Quota, number>>>;

/** One limit and what is used of it. */
export interface QuotaState {
  readonly scope: QuotaScope;
  readonly quota: Quota;
  readonly limit: number;
  readonly used: number;
}

/** All that has a limit among `quotas`, the tenant first. */
export function limitedOf(given: Quotas, { userId, tokenId, sessionId }: Using, quotas: readonly Quota[]): readonly Limited[] {
  const { tenant, user, users, tokens, session, sessions } = given;
  const all: readonly { readonly scope: QuotaScope; readonly id: string | null; readonly limits: Limits | undefined }[] = [
    { scope: 'tenant', id: null, limits: tenant },
    { scope: 'user', id: userId, limits: ownIn(users, userId) ?? user },
    { scope: 'token', id: tokenId ?? null, limits: ownIn(tokens, tokenId) },
    { scope: 'session', id: sessionId ?? null, limits: sessionId === undefined ? undefined : (ownIn(sessions, sessionId) ?? session) },
  ];
  return all.filter((one): one is Limited => quotas.some((quota) => one.limits?.[quota] !== undefined));
}

/** What an append counts for besides the tenant and the user: the token and the session, where they have limits. */
export function countedFor(quotas: Quotas, using: Using): readonly string[] {
  return limitedOf(quotas, using, DAILY).flatMap(({ scope, id }) => (scope === 'token' || scope === 'session' ? [id!] : []));
}

const ownIn = <Value>(values: Readonly<Record<string, Value>> = {}, id: string | null | undefined): Value | undefined =>
  id !== null && id !== undefined && Object.hasOwn(values, id) ? values[id] : undefined;

/** Each limit among `quotas` with what is used of it. `used`: in the order of `limited`. */
export function quotaStates(limited: readonly Limited[], used: readonly Used[], quotas: readonly Quota[]): readonly QuotaState[] {
  return limited.flatMap(({ scope, limits }, index) =>
    quotas.flatMap((quota) => {
      const limit = limits[quota];
      return limit === undefined ? [] : [{ scope, quota, limit, used: used[index]?.[quota] ?? 0 }];
    }),
  );
}

/** The first quota that is used up: nothing more of it is admitted. */
export const usedUp = (states: readonly QuotaState[]): QuotaState | undefined => states.find(({ used, limit }) => used >= limit);
