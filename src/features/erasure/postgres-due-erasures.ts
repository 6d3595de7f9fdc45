import { type DueSession, DueErasures, type ExpiredSession, type UserErasure } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { isUuid } from '../../platform/postgres/store/row.js';

interface Row {
  readonly erasure_id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly requested_by: string;
  readonly reason: string | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly sessions: number;
  readonly remaining: number;
  readonly held: number;
}

interface OpenRow {
  readonly erasure_id: string;
  readonly tenant_id: string;
}

interface SessionRow {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly version: bigint;
}

interface ExpiredRow extends SessionRow {
  readonly late_seconds: number;
}

/** Reads what appends and their functions have written; only `user_erasure` is written here. */
export class PostgresDueErasures extends DueErasures {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async request({ id, tenantId, userId, requestedBy, reason }: Parameters<DueErasures['request']>[0]): Promise<UserErasure | null> {
    await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw`WITH asked AS (INSERT INTO user_erasure (erasure_id, tenant_id, user_id, requested_by, reason)
          SELECT ${id}::uuid, u.tenant_id, u.user_id, ${requestedBy}::uuid, ${reason}::text FROM app_user u
          WHERE u.tenant_id = ${tenantId}::uuid AND u.user_id = ${userId}::uuid ON CONFLICT DO NOTHING)
        SELECT erase_memory(u.tenant_id, u.user_id, NULL)::text[] FROM app_user u WHERE u.tenant_id = ${tenantId}::uuid AND u.user_id = ${userId}::uuid`,
    );
    const [newest] = (await this.ofUser(tenantId, userId)) ?? [];
    return newest ?? null;
  }

  override async ofUser(tenantId: string, userId: string): Promise<readonly UserErasure[] | null> {
    if (!isUuid(userId)) return null;
    const known = await this.#database.inTenant(tenantId, (client) => client.user.findFirst({ where: { tenantId, userId } }));
    if (!known) return null;
    return this.#erasures(tenantId, Prisma.sql`e.tenant_id = ${tenantId}::uuid AND e.user_id = ${userId}::uuid ORDER BY e.started_at DESC LIMIT 100`);
  }

  override async isDue(idleMs: number): Promise<boolean> {
    const [row] = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<
        [{ due: boolean }]
      >`SELECT EXISTS (SELECT FROM open_erasures(1)) OR EXISTS (SELECT FROM unfinished_erasures(${idleMs}::float8, 1, NULL))
        OR EXISTS (SELECT FROM expired_sessions(1, NULL)) AS due`,
      (client, waitMs) => client.$queryRaw<[{ due: boolean }]>`SELECT EXISTS (SELECT FROM reachable_user_erasures(${waitMs}::int, 1))
        OR EXISTS (SELECT FROM reachable_unfinished_erasures(${waitMs}::int, ${idleMs}::float8, 1, NULL))
        OR EXISTS (SELECT FROM reachable_expired_sessions(${waitMs}::int, 1, NULL)) AS due`,
    );
    return row.due;
  }

  override async open(): Promise<readonly UserErasure[]> {
    const due = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<readonly OpenRow[]>`SELECT erasure_id, tenant_id FROM open_erasures(100)`,
      (client, waitMs) => client.$queryRaw<readonly OpenRow[]>`SELECT erasure_id, tenant_id FROM reachable_user_erasures(${waitMs}::int, 100)`,
    );
    const found: UserErasure[] = [];
    for (const { erasure_id: id, tenant_id: tenant } of due) {
      found.push(...(await this.#erasures(tenant, Prisma.sql`e.tenant_id = ${tenant}::uuid AND e.erasure_id = ${id}::uuid AND e.ended_at IS NULL`)));
    }
    return found;
  }

  override async sessionsOf(erasure: UserErasure, after: string | null, limit: number, part: number | null): Promise<readonly DueSession[]> {
    const { tenantId, userId, startedAt } = erasure;
    const statement = dueSessionsOf({ tenantId, userId, startedAt }, after, limit, part);
    return (await this.#database.inTenant(tenantId, (client) => client.$queryRaw<SessionRow[]>(statement))).map(sessionOf);
  }

  /** Without a wait for the disk, for which appends wait as well: after a crash of the server the number may be lower, what is left to erase is not read from it. */
  override async count({ id, tenantId }: UserErasure): Promise<void> {
    await this.#database.inTenant(
      tenantId,
      (client) => client.$executeRaw`UPDATE user_erasure SET sessions = sessions + 1 FROM (SELECT set_config('synchronous_commit', 'off', true)) AS quick
        WHERE tenant_id = ${tenantId}::uuid AND erasure_id = ${id}::uuid`,
    );
  }

  override async end({ id, tenantId, userId, startedAt }: UserErasure): Promise<void> {
    await this.#database.inTenant(
      tenantId,
      // What a turn of one of the sessions has written to the memory since the request goes with them.
      (client) => client.$queryRaw`WITH ended AS (
          UPDATE user_erasure SET ended_at = now() WHERE tenant_id = ${tenantId}::uuid AND erasure_id = ${id}::uuid AND ended_at IS NULL
            AND NOT EXISTS (SELECT FROM session s WHERE ${owned(Prisma.sql`${tenantId}::uuid`, Prisma.sql`${userId}::uuid`, Prisma.sql`${startedAt}::timestamptz`)} AND ${NOT_HELD})
          RETURNING tenant_id, user_id, started_at)
        SELECT erase_memory(tenant_id, user_id, started_at)::text[] FROM ended`,
    );
  }

  override async unfinished(idleMs: number, limit: number, part: number | null): Promise<readonly DueSession[]> {
    const rows = await this.#database.ofAllTenants(
      (client) =>
        client.$queryRaw<SessionRow[]>`SELECT tenant_id, session_id, 0 AS version FROM unfinished_erasures(${idleMs}::float8, ${limit}::bigint, ${part}::int)`,
      (client, waitMs) => client.$queryRaw<SessionRow[]>`SELECT tenant_id, session_id, 0 AS version
        FROM reachable_unfinished_erasures(${waitMs}::int, ${idleMs}::float8, ${limit}::bigint, ${part}::int)`,
    );
    return rows.map(sessionOf);
  }

  override async expired(limit: number, part: number | null): Promise<readonly ExpiredSession[]> {
    const rows = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<ExpiredRow[]>`SELECT tenant_id, session_id, version, late_seconds FROM expired_sessions(${limit}::bigint, ${part}::int)`,
      (client, waitMs) =>
        client.$queryRaw<ExpiredRow[]>`SELECT tenant_id, session_id, version, late_seconds
          FROM reachable_expired_sessions(${waitMs}::int, ${limit}::bigint, ${part}::int)`,
    );
    return rows.map((row) => ({ ...sessionOf(row), lateSeconds: row.late_seconds }));
  }

  async #erasures(tenantId: string, which: Prisma.Sql): Promise<readonly UserErasure[]> {
    const mine = owned(Prisma.sql`e.tenant_id`, Prisma.sql`e.user_id`, Prisma.sql`e.started_at`);
    const rows = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<Row[]>`SELECT e.*, (SELECT count(*) FROM session s WHERE ${mine} AND ${NOT_HELD})::int AS remaining,
        (SELECT count(*) FROM session s WHERE ${mine} AND NOT ${NOT_HELD})::int AS held FROM user_erasure e WHERE ${which}`,
    );
    return rows.map(erasureOf);
  }
}

const NOT_HELD = Prisma.sql`NOT is_held(s.tenant_id, s.session_id)`;
const NOT_ERASED = Prisma.sql`NOT s.is_erased`;

/** The sessions of a user that existed when the erasure was requested and are not erased. */
const owned = (tenant: Prisma.Sql, user: Prisma.Sql, at: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`s.tenant_id = ${tenant} AND s.user_id = ${user} AND s.archived IN (false, true) AND s.created_at <= ${at} AND s.status <> 'importing' AND ${NOT_ERASED}`;

export function dueSessionsOf(
  { tenantId, userId, startedAt }: Pick<UserErasure, 'tenantId' | 'userId' | 'startedAt'>,
  after: string | null,
  limit: number,
  part: number | null,
): Prisma.Sql {
  return Prisma.sql`SELECT s.tenant_id, s.session_id, 0 AS version FROM session s
    WHERE ${owned(Prisma.sql`${tenantId}::uuid`, Prisma.sql`${userId}::uuid`, Prisma.sql`${startedAt}::timestamptz`)} AND ${NOT_HELD}
      AND (${part}::int IS NULL OR erasure_part(s.session_id) = ${part}::int) AND s.session_id > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid
    ORDER BY s.session_id LIMIT ${limit}::bigint`;
}

function erasureOf(row: Row): UserErasure {
  return {
    id: row.erasure_id,
    tenantId: row.tenant_id,
    userId: row.user_id,
    requestedBy: row.requested_by,
    reason: row.reason,
    startedAt: row.started_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    sessions: row.sessions,
    remaining: row.remaining,
    held: row.held,
  };
}

const sessionOf = (row: SessionRow): DueSession => ({ tenantId: row.tenant_id, sessionId: row.session_id, version: Number(row.version) });
