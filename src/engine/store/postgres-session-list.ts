import {
  type Encryption,
  SessionList,
  type SessionFilter,
  type SessionListItem,
  type SessionListPage,
  type WaitingTurn,
  type WholeRow,
} from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';
import { decodeCursor, encodeCursor } from '../../platform/postgres/store/cursor.js';
import { changedSessions, isSelective, type Scope, type SelectedRow, session, sessions, type SessionRow, type WholeSessionRow } from './list-statements.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import type { TenantReads } from '../../platform/postgres/store/tenant-connections.js';
import { DEFAULT_SEARCH_TERMS } from './projection.js';
import { isUuid } from '../../platform/postgres/store/row.js';
import { EncryptedContent } from './encrypted-content.js';
import { isEncrypted, openedText } from './encrypted-text.js';
import { expiredWaits, type WaitingRow } from './statements.js';

export class PostgresSessionList extends SessionList {
  readonly #database: Database;
  readonly #language: string;

  readonly #encrypted: EncryptedContent;

  /** `reads`: where lists are read. */
  constructor(
    database: Database,
    encryption: Encryption,
    language: string = DEFAULT_SEARCH_TERMS.language,
    private readonly reads: TenantReads = database,
  ) {
    super();
    this.#database = database;
    this.#language = language;
    this.#encrypted = new EncryptedContent(reads, encryption);
  }

  override async list(tenantId: string, filter: SessionFilter, limit: number, cursor: string | null): Promise<SessionListPage> {
    const list = [tenantId, filter];
    const last = cursor === null ? null : decodeCursor(cursor, list);
    if (filter.userId !== null && !isUuid(filter.userId)) return { data: [], nextCursor: null };
    // One more than requested shows whether there is a next page.
    const find = <Row>(scope: Scope): Promise<Row[]> =>
      this.reads.inTenant(tenantId, (client) => client.$queryRaw<Row[]>(sessions(tenantId, filter, limit + 1, last, this.#language, scope)));
    const rows = isSelective(filter) ? await firstFull(find<SelectedRow>, limit) : await find<SessionRow>('all');
    const data = await this.#items(tenantId, rows.slice(0, limit));
    const end = data.at(-1);
    return { data, nextCursor: rows.length > limit && end ? encodeCursor({ at: end.updatedAt, id: end.id }, list) : null };
  }

  override async changedSince(tenantId: string, userId: string, since: string, limit: number, lateMs: number | null): Promise<readonly SessionListItem[]> {
    const rows = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<SessionRow[]>(changedSessions(tenantId, userId, since, limit, lateMs)));
    return this.#items(tenantId, rows);
  }

  override async find(tenantId: string, sessionId: string): Promise<WholeRow | null> {
    if (!isUuid(sessionId)) return null;
    const [row, another] = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<WholeSessionRow[]>(session(tenantId, sessionId)));
    if (!row || another) return null;
    const [item] = await this.#items(tenantId, [row]);
    const { grants, is_held: isHeld, days: retentionDays, is_erased: isErased, is_complete: isErasureOver, metadata } = row;
    return { ...item!, grants, isHeld, retentionDays, isErased, isErasureOver, metadata: metadata ?? {} };
  }

  async #items(tenantId: string, rows: readonly SessionRow[]): Promise<readonly SessionListItem[]> {
    const keys = await this.#encrypted.keys(
      tenantId,
      rows.filter((row) => TEXTS.some((name) => isEncrypted(row[name]))).map(({ id }) => id),
    );
    return rows.map((row) => {
      const [title, first_text, last_text] = TEXTS.map((name) => openedText(row[name], keys.get(row.id), row.id));
      return itemOf({ ...row, title: title!, first_text: first_text!, last_text: last_text! });
    });
  }

  override async expiredWaits(idleMs: number, limit: number): Promise<readonly WaitingTurn[]> {
    const rows = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<WaitingRow[]>(expiredWaits(idleMs, limit)),
      (client, waitMs) =>
        client.$queryRaw<
          WaitingRow[]
        >`SELECT tenant_id, session_id, turn_id, updated_at FROM reachable_expired_waits(${waitMs}::int, ${idleMs}::float8, ${limit}::bigint)`,
    );
    return rows.map((row) => ({ tenantId: row.tenant_id, sessionId: row.session_id, turnId: row.turn_id, updatedAt: row.updated_at.toISOString() }));
  }
}

/** The second search is made only where the first one has neither filled the page nor reached the end of the list. */
async function firstFull(find: (scope: Scope) => Promise<readonly SelectedRow[]>, limit: number): Promise<readonly SessionRow[]> {
  const newest = await find('newest');
  const isEnough = newest.length > limit || newest[0]!.is_all;
  return (isEnough ? newest : await find('all')).filter(({ id }) => id !== null) as SessionRow[];
}

const TEXTS = ['title', 'first_text', 'last_text'] as const;

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
    folder: row.folder,
    usage: { ...NO_USAGE, ...row.usage },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
