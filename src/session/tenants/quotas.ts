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

/** What a tenant and each of its users may use. `users`: limits of single users, by id, each as a whole instead of `user`. */
export interface Quotas {
  readonly tenant?: Limits;
  readonly user?: Limits;
  readonly users?: Readonly<Record<string, Limits>>;
}

export const DAILY: readonly Quota[] = ['promptsPerDay', 'tokensPerDay', 'dollarsPerDay'];
/** What requests use of it. */
export const SPENT: readonly Quota[] = ['tokensPerDay', 'dollarsPerDay'];
export const HELD: readonly Quota[] = ['sessions', 'storageBytes'];

export type Used = Readonly<Partial<Record<Quota, number>>>;

/** One limit and what is used of it. */
export interface QuotaState {
  readonly scope: 'tenant' | 'user';
  readonly quota: Quota;
  readonly limit: number;
  readonly used: number;
}

export function limitsOf({ tenant = {}, user = {}, users = {} }: Quotas, userId: string): Readonly<Record<'tenant' | 'user', Limits>> {
  return { tenant, user: (Object.hasOwn(users, userId) ? users[userId] : undefined) ?? user };
}

/** Whether any of these quotas is limited. */
export function hasLimit({ tenant, user }: Readonly<Record<'tenant' | 'user', Limits>>, among: readonly Quota[]): boolean {
  return among.some((quota) => tenant[quota] !== undefined || user[quota] !== undefined);
}

/** Each limit among `quotas` with what is used of it, the tenant's first. */
export function quotaStates(
  limits: Readonly<Record<'tenant' | 'user', Limits>>,
  used: Readonly<Record<'tenant' | 'user', Used>>,
  quotas: readonly Quota[],
): readonly QuotaState[] {
  return (['tenant', 'user'] as const).flatMap((scope) =>
    quotas.flatMap((quota) => {
      const limit = limits[scope][quota];
      return limit === undefined ? [] : [{ scope, quota, limit, used: used[scope][quota] ?? 0 }];
    }),
  );
}

/** The first quota that is used up: nothing more of it is admitted. */
export const usedUp = (states: readonly QuotaState[]): QuotaState | undefined => states.find(({ used, limit }) => used >= limit);
