import { SessionList, type SessionFilter, type SessionListItem, type SessionListPage, type WaitingTurn } from '../../core/ports.js';
import type { SessionState } from '../../core/session/state.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { changedSessions, isSelective, type Scope, session, sessions, type SessionRow } from './list-statements.js';
import type { Database } from './prisma.js';
import { DEFAULT_SEARCH_TERMS } from './projection.js';
import { isUuid } from './row.js';
import { expiredWaits, type WaitingRow } from './statements.js';

export class PostgresSessionList extends SessionList {
  readonly #database: Database;
  readonly #language: string;

  constructor(database: Database, language: string = DEFAULT_SEARCH_TERMS.language) {
    super();
    this.#database = database;
    this.#language = language;
  }

  override async list(tenantId: string, filter: SessionFilter, limit: number, cursor: string | null): Promise<SessionListPage> {
    const list = [tenantId, filter];
    const last = cursor === null ? null : decodeCursor(cursor, list);
    if (filter.userId !== null && !isUuid(filter.userId)) return { data: [], nextCursor: null };
    // One more than requested shows whether there is a next page.
    const find = (scope: Scope): Promise<SessionRow[]> =>
      this.#database.run((client) => client.$queryRaw<SessionRow[]>(sessions(tenantId, filter, limit + 1, last, this.#language, scope)));
    const newest = await find('newest');
    const rows = newest.length > limit || !isSelective(filter) ? newest : await find('all');
    const data = rows.slice(0, limit).map(itemOf);
    const end = data.at(-1);
    return { data, nextCursor: rows.length > limit && end ? encodeCursor({ at: end.updatedAt, id: end.id }, list) : null };
  }

  override async changedSince(tenantId: string, userId: string, since: string, limit: number, lateMs: number | null): Promise<readonly SessionListItem[]> {
    const rows = await this.#database.run((client) => client.$queryRaw<SessionRow[]>(changedSessions(tenantId, userId, since, limit, lateMs)));
    return rows.map(itemOf);
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

const NO_USAGE: SessionState['usage'] = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 };

function itemOf(row: SessionRow): SessionListItem {
  return {
    id: row.id,
    version: Number(row.version ?? 0),
    userId: row.user_id,
    title: row.title,
    model: row.model,
    status: row.status,
    archived: row.archived,
    queueLength: row.queue_length,
    turnId: row.turn_id,
    messageCount: row.message_count ?? 0,
    firstText: row.first_text,
    lastText: row.last_text,
    usage: { ...NO_USAGE, ...row.usage },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
