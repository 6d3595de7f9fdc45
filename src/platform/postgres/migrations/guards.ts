import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { errorCode, errorText } from '../database-error.js';
import { LOCK_NOT_AVAILABLE, LOCK_PAUSE_MS, LOCK_TIMEOUT_MS } from './online-migration.js';

/** Times that the lock of a table is waited for: appends wait as well meanwhile. */
const ATTEMPTS = 5;

interface MissingGuard {
  readonly of_table: string;
  readonly problem: string;
  readonly mend: string | null;
}

/**
 * Puts back what prisma/functions/missing_guards.sql misses: a restore of rows alone, or work by hand, may have left a table without a trigger or a policy. Each difference is a line of `report`,
 * also one that a person has to look at: the rows are verified whenever they are read, so that the server can be started. `client` is the owner's, under the lock of the migrations.
 */
export async function mendGuards(client: Client, report: (line: string) => void): Promise<void> {
  const { rows: functions } = await client.query(`SELECT FROM pg_proc WHERE oid = to_regprocedure('public.missing_guards()')`);
  if (functions.length === 0) return;
  const { rows } = await client.query<MissingGuard>('SELECT of_table, problem, mend FROM missing_guards()');
  for (const { of_table: table, problem, mend } of rows) {
    const outcome = mend === null ? 'this needs a person, see docs/proofs.md, Guards' : await put(client, mend);
    report(`A guard of the table ${table} is not as it was made: ${problem}; ${outcome}.`);
  }
}

async function put(client: Client, mend: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; ${mend}; COMMIT`);
      return 'it is put back';
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined); // the connection itself may have failed
      if (errorCode(error) !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS)
        return `it could not be put back (${errorText(error)}), which the next start tries again`;
      await pause(LOCK_PAUSE_MS);
    }
  }
}
