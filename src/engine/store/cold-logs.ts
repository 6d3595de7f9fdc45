import { DomainError } from '../../../packages/protocol/errors.js';
import { ColdSessions, type ArchiveRound, type EventLog, type SessionPlace } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import { NODE_WAIT_MS } from '../../platform/postgres/nodes/postgres-nodes.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import type { LogArchives } from './log-archives.js';

/** Sessions that are looked at in one statement. */
const PAGE = 100;

const DAY_MS = 86_400_000;

/** Bytes that an event takes in an archive besides its data. */
const EVENT_BYTES = 512;

export interface ColdLogOptions {
  /** Null: no log is archived. */
  readonly afterDays: number | null;
  /** Of the events of a log that is archived. */
  readonly maxBytes: number;
}

interface Row {
  readonly tenant_id: string;
  readonly archived: boolean;
  readonly updated_at: string;
  readonly session_id: string;
  readonly is_due: boolean;
  readonly late_seconds: number;
}

/** Finds the sessions whose logs are to be archived, in the order of the session list. */
export class ColdLogs extends ColdSessions {
  constructor(
    private readonly database: Database,
    private readonly log: EventLog,
    private readonly archives: LogArchives,
    private readonly options: ColdLogOptions,
  ) {
    super();
  }

  override get isOn(): boolean {
    return this.options.afterDays !== null;
  }

  override async archive(stopped: () => boolean): Promise<ArchiveRound> {
    const idleMs = (this.options.afterDays ?? Infinity) * DAY_MS;
    let [archived, oldestSeconds] = [0, 0];
    const failures: unknown[] = [];
    for (let after: Row | undefined, isMore = this.isOn; isMore && !stopped();) {
      const rows = await this.#page(idleMs, after);
      // One after the other, so that the database has time for its users.
      for (const { tenant_id: tenantId, session_id: sessionId, late_seconds: late } of rows.filter(({ is_due: isDue }) => isDue)) {
        if (stopped()) break;
        try {
          if (await this.#isTooLarge(tenantId, sessionId)) continue;
          if (await this.archives.archive(tenantId, sessionId, idleMs)) archived += 1;
        } catch (error) {
          if (error instanceof DomainError && error.code === 'tenant_moving') continue; // it is archived where it has moved to
          failures.push(error);
          oldestSeconds = Math.max(oldestSeconds, late);
          if (failures.length === PAGE) return { archived, failures, oldestSeconds }; // the storage is away: the next round tries again
        }
      }
      after = rows.at(-1);
      isMore = after !== undefined;
    }
    return { archived, failures, oldestSeconds };
  }

  override async size(): Promise<{ readonly logs: number; readonly bytes: number }> {
    const [row] = await this.database.ofAllTenants(
      (client) => client.$queryRaw<{ logs: bigint; bytes: bigint }[]>`SELECT logs, bytes FROM read_archives()`,
      (client, waitMs) => client.$queryRaw<{ logs: bigint; bytes: bigint }[]>`SELECT logs, bytes FROM read_reachable_archives(${waitMs}::int)`,
    );
    return { logs: Number(row?.logs ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  override async withoutArchived(sessions: readonly SessionPlace[]): Promise<readonly SessionPlace[]> {
    const archived = new Set<string>();
    for (const tenantId of new Set(sessions.map(({ tenantId }) => tenantId))) {
      const ids = sessions.filter((session) => session.tenantId === tenantId).map(({ sessionId }) => sessionId);
      const rows = await this.database.inTenant(
        tenantId,
        (client) => client.$queryRaw<{ id: string }[]>`SELECT session_id::text AS id FROM log_archive
          WHERE tenant_id = ${tenantId}::uuid AND session_id = ANY (${ids}::uuid[]) AND object IS NOT NULL`,
      );
      for (const { id } of rows) archived.add(`${tenantId} ${id}`);
    }
    return sessions.filter(({ tenantId, sessionId }) => !archived.has(`${tenantId} ${sessionId}`));
  }

  /** Also of a log that another process has archived since it was found: to measure it would bring it back. */
  async #isTooLarge(tenantId: string, sessionId: string): Promise<boolean> {
    const { maxBytes } = this.options;
    if ((await this.withoutArchived([{ tenantId, sessionId }])).length === 0) return true;
    return this.log.exceeds(tenantId, sessionId, { events: Math.ceil(maxBytes / EVENT_BYTES), bytes: maxBytes });
  }

  #page(idleMs: number, after: Row | undefined): Promise<readonly Row[]> {
    const columns = Prisma.sql`tenant_id::text AS tenant_id, archived, updated_at::text AS updated_at, session_id::text AS session_id, is_due, late_seconds`;
    const page = Prisma.sql`${idleMs}::float8, ${PAGE}::bigint, ${after?.tenant_id ?? null}::uuid, ${after?.archived ?? null}::boolean, ${after?.updated_at ?? null}::timestamptz,
      ${after?.session_id ?? null}::uuid`;
    // Of a distributed database always: a coordinator gives the rows of a limit without an order as they come, and the next page would pass tenants by.
    if (this.database.isDistributed)
      return this.database.run((client) => client.$queryRaw<Row[]>(Prisma.sql`SELECT ${columns} FROM reachable_cold_sessions(${NODE_WAIT_MS}::int, ${page})`));
    return this.database.run((_, prepared) => prepared.query<Row>(Prisma.sql`SELECT ${columns} FROM cold_sessions(${page})`));
  }
}
