import { SessionList, type SessionListItem, type SessionListPage, type WaitingTurn } from '../../core/ports.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import type { Database } from './prisma.js';
import { isUuid } from './row.js';
import { expiredWaits, session, sessions, type SessionRow, type WaitingRow } from './statements.js';

export class PostgresSessionList extends SessionList {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async list(tenantId: string, userId: string | null, limit: number, cursor: string | null): Promise<SessionListPage> {
    const last = cursor === null ? null : decodeCursor(cursor);
    // One more than requested shows whether there is a next page.
    const rows = await this.#database.run((client) => client.$queryRaw<SessionRow[]>(sessions(tenantId, userId, limit + 1, last)));
    const data = rows.slice(0, limit).map(itemOf);
    const end = data.at(-1);
    return { data, nextCursor: rows.length > limit && end ? encodeCursor(end) : null };
  }

  override async find(tenantId: string, sessionId: string): Promise<SessionListItem | null> {
    if (!isUuid(sessionId)) return null;
    const [row] = await this.#database.run((client) => client.$queryRaw<SessionRow[]>(session(tenantId, sessionId)));
    return row ? itemOf(row) : null;
  }

  override async expiredWaits(idleMs: number, limit: number): Promise<readonly WaitingTurn[]> {
    const rows = await this.#database.run((client) => client.$queryRaw<WaitingRow[]>(expiredWaits(idleMs, limit)));
    return rows.map((row) => ({ tenantId: row.tenant_id, sessionId: row.session_id, turnId: row.turn_id, updatedAt: row.updated_at.toISOString() }));
  }
}

function itemOf(row: SessionRow): SessionListItem {
  return {
    id: row.id,
    userId: row.user_id,
    title: row.title,
    model: row.model,
    status: row.status,
    queueLength: row.queue_length,
    turnId: row.turn_id,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
