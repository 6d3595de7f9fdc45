import { type DueSchedule, Schedules } from '../../ports/index.js';
import type { TenantRole } from '../../../packages/protocol/access/roles.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { isUuid } from '../../platform/postgres/store/row.js';
import { roleOf } from '../../platform/postgres/store/roles.js';

interface DueRow {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly schedule_id: string;
  readonly next_run_at: Date;
  readonly now: Date;
}

export class PostgresSchedules extends Schedules {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async now(): Promise<string> {
    const [row] = await this.#database.run((client) => client.$queryRaw<[{ now: Date }]>`SELECT clock_timestamp() AS now`);
    return row.now.toISOString();
  }

  override async due(limit: number, after: DueSchedule | null): Promise<{ readonly now: string; readonly schedules: readonly DueSchedule[] }> {
    const [at, id] = [after?.dueAt ?? null, after?.scheduleId ?? null];
    const rows = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<DueRow[]>`SELECT tenant_id, session_id, schedule_id, next_run_at, now 
        FROM due_schedules(${limit}::bigint, ${at}::timestamptz, ${id}::uuid)`,
      (client, waitMs) => client.$queryRaw<DueRow[]>`SELECT tenant_id, session_id, schedule_id, next_run_at, now
        FROM reachable_due_schedules(${waitMs}::int, ${limit}::bigint, ${at}::timestamptz, ${id}::uuid)`,
    );
    return {
      now: rows[0]?.now.toISOString() ?? '',
      schedules: rows.map((row) => ({
        tenantId: row.tenant_id,
        sessionId: row.session_id,
        scheduleId: row.schedule_id,
        dueAt: row.next_run_at.toISOString(),
      })),
    };
  }

  override async roleOf(tenantId: string, userId: string): Promise<TenantRole | null> {
    if (!isUuid(userId)) return null;
    const user = await this.#database.inTenant(tenantId, (client) =>
      client.user.findFirst({ where: { tenantId, userId, disabledAt: null }, select: { role: true } }),
    );
    return user && roleOf(user.role);
  }
}
