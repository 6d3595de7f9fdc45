import type { Used } from '../session/tenants/quotas.js';

export const USAGE_GROUPS = ['user', 'model', 'session', 'day', 'dayAndModel'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageFilter {
  /** First and last day, YYYY-MM-DD, UTC. */
  readonly from: string;
  readonly to: string;
  readonly groupBy: UsageGroup;
  /** Null: all users of the tenant. */
  readonly userId: string | null;
}

export interface UsageSum {
  /** Id of the user or session, name of the model family, or the day, also of `dayAndModel`. */
  readonly key: string;
  /** Of `dayAndModel`: name of the model family. */
  readonly model?: string;
  readonly prompts: number;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  /** US dollars. */
  readonly cost: number;
}

/** Usage as the appends have counted it. */
export abstract class UsageStore {
  /** At most `limit` sums, the most expensive first, days in their order, and of one day the most expensive model first; `total` is the sum of all. */
  abstract report(
    tenantId: string,
    filter: UsageFilter,
    limit: number,
  ): Promise<{ readonly data: readonly UsageSum[]; readonly total: UsageSum; readonly hasMore: boolean }>;
  /** Of the quotas per day: what each of these has used since midnight (UTC) by the clock of the store, and when the day ends, RFC 3339. Null: the tenant as a whole; else the id of a user, token or session. */
  abstract today(tenantId: string, of: readonly (string | null)[]): Promise<{ readonly used: readonly Used[]; readonly endsAt: string }>;
  /** Of the other quotas: what each of these holds now. */
  abstract held(tenantId: string, of: readonly (string | null)[]): Promise<readonly Used[]>;
}
