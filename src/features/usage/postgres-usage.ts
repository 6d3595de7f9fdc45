import { type UsageFilter, type UsageGroup, UsageStore, type UsageSum } from '../../ports/index.js';
import type { Used } from '../../session/tenants/quotas.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import type { TenantReads } from '../../platform/postgres/store/tenant-connections.js';

/** Cost is stored in billionths of a dollar. */
const PER_DOLLAR = 1e9;

/** Reads the tables that count_usage and add_to_totals write. */
export class PostgresUsage extends UsageStore {
  /** `reads`: where reports are read; what quotas are compared with is read on the primary. */
  constructor(
    private readonly database: Database,
    private readonly reads: TenantReads = database,
  ) {
    super();
  }

  override async report(tenantId: string, { from, to, groupBy, userId }: UsageFilter, limit: number) {
    const { key, model, order } = groupBy === 'dayAndModel' ? DAY_AND_MODEL : { key: KEYS[groupBy], model: NO_MODEL, order: orderOf(groupBy) };
    const group = model === NO_MODEL ? key : Prisma.sql`${key}, ${model}`;
    const user = userId === null ? Prisma.empty : Prisma.sql`AND u.user_id = ${userId}::uuid`;
    // The total has no key. One read gives both the same numbers.
    const rows = await this.reads.inTenant(
      tenantId,
      (client) => client.$queryRaw<SumRow[]>`
        SELECT * FROM (
          SELECT ${key} AS key, ${model} AS model, ${SUMS} FROM usage u WHERE u.tenant_id = ${tenantId}::uuid AND u.day BETWEEN ${from}::date AND ${to}::date ${user}
          GROUP BY GROUPING SETS ((${group}), ())
        ) sums ORDER BY key IS NOT NULL, ${order} LIMIT ${limit + 2}::int`,
    );
    const [total, ...data] = rows.map(sumOf);
    return { data: data.slice(0, limit), total: total ?? NOTHING, hasMore: data.length > limit };
  }

  override async today(tenantId: string, of: readonly (string | null)[]) {
    const { ends_at: endsAt, totals } = await this.#totals(tenantId, totalsOf(tenantId, of, TODAY));
    const used = totals.map(([prompts, tokens, cost]): Used => ({ promptsPerDay: prompts!, tokensPerDay: tokens!, dollarsPerDay: cost! / PER_DOLLAR }));
    return { endsAt: endsAt.toISOString(), used };
  }

  override async held(tenantId: string, of: readonly (string | null)[]): Promise<readonly Used[]> {
    const { totals } = await this.#totals(tenantId, totalsOf(tenantId, of, HELD));
    return totals.map(([, , , sessions, bytes]): Used => ({ sessions: sessions!, storageBytes: bytes! }));
  }

  async #totals(tenantId: string, statement: Prisma.Sql): Promise<TotalsRow> {
    const [row] = await this.database.inTenant(tenantId, (client) => client.$queryRaw<TotalsRow[]>(statement));
    if (!row) throw new Error('an aggregate returned no row');
    return row;
  }
}

const TODAY = Prisma.sql`(clock_timestamp() AT TIME ZONE 'UTC')::date`;
const HELD = Prisma.sql`date '-infinity'`;

/** The `user_id` of a tenant's own totals; those of a token or a session have its id. */
const WHOLE_TENANT = '00000000-0000-0000-0000-000000000000';

/** Reads the rows that add_to_totals has written for each of these: one, and more where appends came at the same time. Null: the tenant as a whole. */
export function totalsOf(tenantId: string, of: readonly (string | null)[], day: Prisma.Sql = TODAY): Prisma.Sql {
  const ids = of.map((id) => id ?? WHOLE_TENANT);
  return Prisma.sql`SELECT CASE WHEN isfinite(t.day) THEN (t.day + 1)::timestamp AT TIME ZONE 'UTC' END AS ends_at,
    (SELECT coalesce(jsonb_agg((SELECT jsonb_build_array(coalesce(sum(u.prompts), 0), coalesce(sum(u.tokens), 0), coalesce(sum(u.cost), 0), coalesce(sum(u.sessions), 0), coalesce(sum(u.bytes), 0))
      FROM usage_total u WHERE u.tenant_id = ${tenantId}::uuid AND u.day = t.day AND u.user_id = w.id) ORDER BY w.place), '[]') FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS w(id, place)) AS totals
    FROM (SELECT ${day} AS day) t`;
}

const KEYS: Readonly<Record<Exclude<UsageGroup, 'dayAndModel'>, Prisma.Sql>> = {
  user: Prisma.sql`u.user_id::text`,
  model: Prisma.sql`u.model`,
  session: Prisma.sql`u.session_id::text`,
  day: Prisma.sql`u.day::text`,
};
const NO_MODEL = Prisma.sql`NULL::text`;
const DAY_AND_MODEL = { key: KEYS.day, model: KEYS.model, order: Prisma.sql`key, cost DESC, model` };

const orderOf = (group: UsageGroup): Prisma.Sql => (group === 'day' ? Prisma.sql`key` : Prisma.sql`cost DESC, key`);

const SUMS = Prisma.sql`coalesce(sum(u.prompts), 0)::float8 AS prompts, coalesce(sum(u.requests), 0)::float8 AS requests, coalesce(sum(u.input_tokens), 0)::float8 AS input,
  coalesce(sum(u.output_tokens), 0)::float8 AS output, coalesce(sum(u.cache_read_tokens), 0)::float8 AS cache_read,
  coalesce(sum(u.cache_creation_tokens), 0)::float8 AS cache_creation, coalesce(sum(u.cost), 0)::float8 AS cost`;

interface SumRow {
  readonly key: string | null;
  readonly model: string | null;
  readonly prompts: number;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_creation: number;
  readonly cost: number;
}

interface TotalsRow {
  /** When the day ends. */
  readonly ends_at: Date;
  /** Of each: prompts, tokens, cost, sessions, bytes. */
  readonly totals: readonly (readonly number[])[];
}

function sumOf({ key, model, prompts, requests, input, output, cache_read, cache_creation, cost }: SumRow): UsageSum {
  return {
    key: key ?? 'total',
    ...(model === null ? {} : { model }),
    prompts,
    requests,
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cache_read,
    cacheCreationTokens: cache_creation,
    cost: cost / PER_DOLLAR,
  };
}

const NOTHING: UsageSum = { key: 'total', prompts: 0, requests: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, cost: 0 };
