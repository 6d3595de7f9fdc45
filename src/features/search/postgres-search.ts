import { type Encryption, Search, type SearchHit, type SearchPage, type Snippet } from '../../ports/index.js';
import { decodeCursor, encodeCursor } from '../../platform/postgres/store/cursor.js';
import { type HitRow, hits, LESS_THAN, type Scope } from '../../engine/store/list-statements.js';
import type { TenantReads } from '../../platform/postgres/store/tenant-connections.js';
import { DEFAULT_SEARCH_TERMS, FOUND_END, FOUND_START } from '../../engine/store/projection.js';
import { EncryptedContent } from '../../engine/store/encrypted-content.js';
import { isEncrypted, openedText } from '../../engine/store/encrypted-text.js';

/** Full-text search of Postgres over the table that project_session writes. */
export class PostgresSearch extends Search {
  readonly #reads: TenantReads;
  readonly #language: string;

  readonly #encrypted: EncryptedContent;

  constructor(reads: TenantReads, encryption: Encryption, language: string = DEFAULT_SEARCH_TERMS.language) {
    super();
    this.#reads = reads;
    this.#language = language;
    this.#encrypted = new EncryptedContent(reads, encryption);
  }

  override async find(tenantId: string, userId: string | null, words: string, limit: number, cursor: string | null): Promise<SearchPage> {
    const list = ['search', tenantId, userId, words];
    const last = cursor === null ? null : decodeCursor(cursor, list);
    const findIn = (scope: Scope): Promise<HitRow[]> =>
      this.#reads.inTenant(tenantId, (client) => client.$queryRaw<HitRow[]>(hits(tenantId, userId, words, this.#language, limit + 1, last, scope)));
    const newest = await findIn('newest');
    const rows = newest.length > limit ? newest : await findIn('all');
    const end = rows[limit - 1];
    const nextCursor = rows.length > limit && end ? encodeCursor({ at: end.recorded_at.toISOString(), id: end.message_id }, list) : null;
    const page = rows.slice(0, limit);
    // Of a session that was encrypted later: texts from before are found.
    const keys = await this.#encrypted.keys(
      tenantId,
      page.filter(({ title, first_text }) => isEncrypted(title) || isEncrypted(first_text)).map(({ session_id }) => session_id),
    );
    const opened = (row: HitRow): HitRow => {
      const textOf = (text: string | null): string | null => openedText(text, keys.get(row.session_id), row.session_id);
      return { ...row, title: textOf(row.title), first_text: textOf(row.first_text) };
    };
    return { data: page.map((row) => hitOf(opened(row))), nextCursor };
  }
}

function hitOf(row: HitRow): SearchHit {
  return {
    sessionId: row.session_id,
    title: row.title,
    firstText: row.first_text,
    archived: row.archived,
    userId: row.user_id,
    kind: row.kind,
    uuid: row.kind === 'title' ? null : row.message_id,
    at: row.recorded_at.toISOString(),
    snippet: snippetOf(row.snippet.replaceAll(LESS_THAN, '<')),
  };
}

function snippetOf(marked: string): Snippet {
  let text = '';
  const highlights: { start: number; length: number }[] = [];
  for (const part of marked.split(FOUND_START).entries()) {
    const [index, piece] = part;
    if (index === 0) {
      text = piece;
      continue;
    }
    const [found = '', ...rest] = piece.split(FOUND_END);
    highlights.push({ start: text.length, length: found.length });
    text += found + rest.join('');
  }
  return { text, highlights };
}
