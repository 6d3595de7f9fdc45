import type { KeyTable } from './rewrap-keys.js';

/** Sessions per step: of one that is encrypted, every prompt and message is read, and a statement has a time limit. */
const BATCH = 20;

/** Of each session, events are read until the first one in plain text. Erased ones have no salt; those of an encrypted session are JSON texts, not objects. */
const NEXT = 'SELECT tenant_id::text AS tenant, session_id::text AS id, plain FROM find_plain_sessions($1::uuid, $2::uuid, $3::int)';

interface Row {
  readonly tenant: string;
  readonly id: string;
  readonly plain: boolean;
}

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Counts the sessions, and those with messages or prompts that are not encrypted. */
export async function plainSessions(database: KeyTable, batch = BATCH): Promise<{ readonly sessions: number; readonly plain: number }> {
  let [sessions, plain] = [0, 0];
  for (let after = { tenant: FIRST, id: FIRST }; ;) {
    const rows = await database.run((client) => client.$queryRawUnsafe<readonly Row[]>(NEXT, after.tenant, after.id, batch));
    sessions += rows.length;
    plain += rows.filter((row) => row.plain).length;
    const last = rows.at(-1);
    if (!last || rows.length < batch) return { sessions, plain };
    after = last;
  }
}
