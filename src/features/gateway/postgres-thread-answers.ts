import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { type AnsweredRequest, ThreadAnswers } from '../../ports/index.js';

interface AnswerRow {
  readonly session_id: string;
  readonly request_id: string;
}

/** Characters of an id; a longer one is of no answer that can be continued. */
const LONGEST_ID = 200;

type Owner = Parameters<ThreadAnswers['find']>[0];

export class PostgresThreadAnswers extends ThreadAnswers {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async add({ tenantId, userId }: Owner, answerId: string, { sessionId, requestId }: AnsweredRequest): Promise<void> {
    if (!isId(answerId)) return;
    await this.#database.inTenant(
      tenantId,
      (client) => client.$executeRaw`INSERT INTO thread_answer (tenant_id, user_id, answer_id, request_id, session_id)
        VALUES (${tenantId}::uuid, ${userId}::uuid, ${answerId}::text, ${requestId}::uuid, ${sessionId}::uuid) ON CONFLICT DO NOTHING`,
    );
  }

  override async find(owner: Owner, answerId: string): Promise<AnsweredRequest | null> {
    if (!isId(answerId)) return null;
    const rows = await this.#database.inTenant(owner.tenantId, (client) => client.$queryRaw<readonly AnswerRow[]>(answersNamed(owner, answerId)));
    const [row] = rows;
    return row && rows.length === 1 ? { sessionId: row.session_id, requestId: row.request_id } : null;
  }
}

/** Two at most: more would say no more. */
export function answersNamed({ tenantId, userId }: Owner, answerId: string): Prisma.Sql {
  return Prisma.sql`SELECT session_id, request_id FROM thread_answer
    WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND answer_id = ${answerId}::text LIMIT 2`;
}

/** Postgres stores no NUL in a text. */
const isId = (text: string): boolean => text.length > 0 && text.length <= LONGEST_ID && !text.includes('\u0000');
