import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { type AnsweredRequest, type AnswerNames, type AnswerOwner, ThreadAnswers } from '../../ports/index.js';

interface AnswerRow {
  readonly session_id: string;
  readonly request_id: string;
}

/** Characters of an id; a longer one is of no answer that can be continued. */
const LONGEST_ID = 200;

/** What the digest of a history begins with, beside ids of the model API. The index thread_answer_history and erase_content name it, too. */
const HISTORY = 'history ';

export class PostgresThreadAnswers extends ThreadAnswers {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async add(owner: AnswerOwner, { id, history }: AnswerNames, answered: AnsweredRequest): Promise<void> {
    const names = [...(id !== null && isId(id) ? [id] : []), ...(history === null ? [] : [HISTORY + history])];
    if (names.length > 0) await this.#database.inTenant(owner.tenantId, (client) => client.$executeRaw(addedAnswer(owner, names, answered)));
  }

  override async find(owner: AnswerOwner, answerId: string): Promise<AnsweredRequest | null> {
    if (!isId(answerId)) return null;
    const rows = await this.#database.inTenant(owner.tenantId, (client) => client.$queryRaw<readonly AnswerRow[]>(answersNamed(owner, answerId)));
    const [row] = rows;
    return row && rows.length === 1 ? { sessionId: row.session_id, requestId: row.request_id } : null;
  }

  override async having(owner: AnswerOwner, histories: readonly string[], limit: number): ReturnType<ThreadAnswers['having']> {
    const rows = await this.#database.inTenant(owner.tenantId, (client) =>
      client.$queryRaw<readonly { readonly place: number; readonly session_id: string }[]>(sessionsHaving(owner, histories, limit)),
    );
    return rows.map(({ place, session_id: sessionId }) => ({ history: histories[place - 1]!, sessionId }));
  }
}

export function addedAnswer({ tenantId, userId }: AnswerOwner, names: readonly string[], { sessionId, requestId }: AnsweredRequest): Prisma.Sql {
  return Prisma.sql`INSERT INTO thread_answer (tenant_id, user_id, answer_id, request_id, session_id)
    SELECT ${tenantId}::uuid, ${userId}::uuid, name, ${requestId}::uuid, ${sessionId}::uuid FROM unnest(${names}::text[]) AS name
    WHERE NOT starts_with(name, ${HISTORY}) OR NOT EXISTS (SELECT FROM erased_session e WHERE e.tenant_id = ${tenantId}::uuid AND e.session_id = ${sessionId}::uuid)
    ON CONFLICT DO NOTHING`;
}

/** Two at most: more would say no more. */
export function answersNamed({ tenantId, userId }: AnswerOwner, answerId: string): Prisma.Sql {
  return Prisma.sql`SELECT session_id, request_id FROM thread_answer
    WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND answer_id = ${answerId}::text LIMIT 2`;
}

/** It reads the first rows of each history in the primary key, however many conversations are equal. */
export function sessionsHaving({ tenantId, userId }: AnswerOwner, histories: readonly string[], limit: number): Prisma.Sql {
  return Prisma.sql`SELECT h.place::int AS place, a.session_id FROM unnest(${histories.map((history) => HISTORY + history)}::text[]) WITH ORDINALITY AS h (name, place)
    CROSS JOIN LATERAL (SELECT t.session_id, t.request_id FROM thread_answer t
      WHERE t.tenant_id = ${tenantId}::uuid AND t.user_id = ${userId}::uuid AND t.answer_id = h.name ORDER BY t.request_id LIMIT ${limit}) a
    ORDER BY h.place, a.request_id`;
}

/** Postgres stores no NUL in a text. */
const isId = (text: string): boolean => text.length > 0 && text.length <= LONGEST_ID && !text.includes('\u0000') && !text.startsWith(HISTORY);
