import { type UsageFilter, type UsageGroup, UsageLedger, type Usages, type UsageSum } from '../../core/ports.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from './prisma.js';

/** Cost is stored in billionths of a dollar. */
const PER_DOLLAR = 1e9;

/** Reads the table that count_usage writes. */
export class PostgresUsage extends UsageLedger {
  constructor(private readonly database: Database) {
    super();
  }

  override async report(tenantId: string, { from, to, groupBy, userId }: UsageFilter, limit: number) {
    const key = KEYS[groupBy];
    const order = groupBy === 'day' ? Prisma.sql`1` : Prisma.sql`cost DESC, 1`;
    const user = userId === null ? Prisma.empty : Prisma.sql`AND u.user_id = ${userId}::uuid`;
    // The total has no key. One read gives both the same numbers.
    const rows = await this.database.inTenant(
      tenantId,
      (client) => client.$queryRaw<SumRow[]>`
        SELECT * FROM (
          SELECT ${key} AS key, ${SUMS} FROM usage u WHERE u.tenant_id = ${tenantId}::uuid AND u.day BETWEEN ${from}::date AND ${to}::date ${user}
          GROUP BY GROUPING SETS ((${key}), ())
        ) sums ORDER BY key IS NOT NULL, ${order} LIMIT ${limit + 2}::int`,
    );
    const [total, ...data] = rows.map(sumOf);
    return { data: data.slice(0, limit), total: total ?? NOTHING, hasMore: data.length > limit };
  }

  override async today(tenantId: string, userId: string) {
    const mine = Prisma.sql`FILTER (WHERE u.user_id = ${userId}::uuid)`;
    const [row] = await this.database.inTenant(
      tenantId,
      (client) => client.$queryRaw<TodayRow[]>`
        SELECT (t.day + 1)::timestamp AT TIME ZONE 'UTC' AS ends_at, s.* FROM (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day) t,
        LATERAL (
          SELECT coalesce(sum(u.prompts), 0)::float8 AS prompts, coalesce(sum(${TOKENS}), 0)::float8 AS tokens, coalesce(sum(u.cost), 0)::float8 AS cost,
            coalesce(sum(u.prompts) ${mine}, 0)::float8 AS my_prompts, coalesce(sum(${TOKENS}) ${mine}, 0)::float8 AS my_tokens, coalesce(sum(u.cost) ${mine}, 0)::float8 AS my_cost
          FROM usage u WHERE u.tenant_id = ${tenantId}::uuid AND u.day = t.day
        ) s`,
    );
    if (!row) throw new Error('an aggregate returned no row');
    return {
      endsAt: row.ends_at.toISOString(),
      tenant: { promptsPerDay: row.prompts, tokensPerDay: row.tokens, dollarsPerDay: row.cost / PER_DOLLAR },
      user: { promptsPerDay: row.my_prompts, tokensPerDay: row.my_tokens, dollarsPerDay: row.my_cost / PER_DOLLAR },
    };
  }

  override async held(tenantId: string, userId: string): Promise<Usages> {
    // octet_length reads the length that is stored with the bytes, not the bytes.
    const [row] = await this.database.inTenant(
      tenantId,
      (client) => client.$queryRaw<HeldRow[]>`
        SELECT count(*)::float8 AS sessions, (count(*) FILTER (WHERE s.user_id = ${userId}::uuid))::float8 AS my_sessions,
          (SELECT coalesce(sum(octet_length(b.bytes)), 0)::float8 FROM blob b WHERE b.tenant_id = ${tenantId}::uuid) AS bytes,
          (SELECT coalesce(sum(octet_length(b.bytes)), 0)::float8 FROM blob b WHERE b.tenant_id = ${tenantId}::uuid AND b.sha256 IN
            (SELECT u.sha256 FROM blob_use u JOIN session o USING (tenant_id, session_id)
             WHERE u.tenant_id = ${tenantId}::uuid AND o.user_id = ${userId}::uuid)) AS my_bytes
        FROM session s WHERE s.tenant_id = ${tenantId}::uuid AND NOT EXISTS (SELECT FROM erased_session e WHERE e.tenant_id = s.tenant_id AND e.session_id = s.session_id)`,
    );
    if (!row) throw new Error('an aggregate returned no row');
    return { tenant: { sessions: row.sessions, storageBytes: row.bytes }, user: { sessions: row.my_sessions, storageBytes: row.my_bytes } };
  }
}

const TOKENS = Prisma.sql`u.input_tokens + u.output_tokens + u.cache_creation_tokens`;

const KEYS: Readonly<Record<UsageGroup, Prisma.Sql>> = {
  user: Prisma.sql`u.user_id::text`,
  model: Prisma.sql`u.model`,
  session: Prisma.sql`u.session_id::text`,
  day: Prisma.sql`u.day::text`,
};

const SUMS = Prisma.sql`coalesce(sum(u.prompts), 0)::float8 AS prompts, coalesce(sum(u.requests), 0)::float8 AS requests, coalesce(sum(u.input_tokens), 0)::float8 AS input,
  coalesce(sum(u.output_tokens), 0)::float8 AS output, coalesce(sum(u.cache_read_tokens), 0)::float8 AS cache_read,
  coalesce(sum(u.cache_creation_tokens), 0)::float8 AS cache_creation, coalesce(sum(u.cost), 0)::float8 AS cost`;

interface SumRow {
  readonly key: string | null;
  readonly prompts: number;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_creation: number;
  readonly cost: number;
}

interface TodayRow {
  readonly ends_at: Date;
  readonly prompts: number;
  readonly tokens: number;
  readonly cost: number;
  readonly my_prompts: number;
  readonly my_tokens: number;
  readonly my_cost: number;
}

interface HeldRow {
  readonly sessions: number;
  readonly my_sessions: number;
  readonly bytes: number;
  readonly my_bytes: number;
}

function sumOf({ key, prompts, requests, input, output, cache_read, cache_creation, cost }: SumRow): UsageSum {
  return {
    key: key ?? 'total',
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
