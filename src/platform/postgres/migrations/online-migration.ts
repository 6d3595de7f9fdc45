import { setTimeout as pause } from 'node:timers/promises';
import type { Client, QueryConfig } from 'pg';
import { NO_LIMIT_MS } from '../connect.js';
import { DatabaseError, errorCode, errorText } from '../database-error.js';
import type { Migration, OnlineStatement } from './migration-files.js';
import { recordBegun, recordStep } from './migration-records.js';

/** Appends wait behind a statement that waits for its locks: it gives up after this time, and tries again a while later. */
export const LOCK_TIMEOUT_MS = 2_000;
export const LOCK_PAUSE_MS = 1_000;
export const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The advisory lock under which statements of online migrations run. Of the session that runs them: while a statement of a process that is gone still runs on the server, no other process
 * begins it again, and no time has to be chosen for it.
 */
export const ONLINE_LOCK = 72707370;

const INDEX = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(\S+)\s+ON\s/i;

/**
 * Runs what is left of an online migration, statement by statement, each of which commits by itself. A process may be gone at any moment: then the last statement is run again, which every
 * statement must allow. The caller holds ONLINE_LOCK. Returns whether anything was left.
 */
export async function finishOnline(client: Client, migration: Migration, signal?: AbortSignal): Promise<boolean> {
  const statements = migration.online ?? [];
  const done = await recordBegun(client, migration);
  if (done === null) return false;
  await client.query('SET statement_timeout = 0');
  for (const [index, statement] of statements.entries()) {
    if (index < done) continue;
    await run(client, statement, signal).catch((error: unknown) => {
      throw new DatabaseError('migration_failed', `Statement ${index + 1} of online migration ${migration.name} failed: ${errorText(error)}`, { cause: error });
    });
    await recordStep(client, migration, index + 1, index + 1 === statements.length);
  }
  return true;
}

async function run(client: Client, { sql, repeats }: OnlineStatement, signal: AbortSignal | undefined): Promise<void> {
  const index = INDEX.exec(sql)?.[1];
  if (index !== undefined && (await isBuilt(client, index))) return;
  // What is built concurrently waits for transactions that may be long, and nobody waits behind it.
  await client.query(`SET lock_timeout = ${/\bCONCURRENTLY\b/i.test(sql) ? 0 : LOCK_TIMEOUT_MS}`);
  for (;;) {
    signal?.throwIfAborted();
    try {
      const { rowCount } = await client.query({ text: sql, query_timeout: NO_LIMIT_MS } as QueryConfig);
      if (!repeats || !rowCount) return;
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
      await pause(LOCK_PAUSE_MS, undefined, { signal });
    }
  }
}

/** An index whose build did not end is in the way of the next one, and costs every write: it is dropped. */
async function isBuilt(client: Client, index: string): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>('SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)', [index]);
  if (rows[0]?.valid === false) await client.query({ text: `DROP INDEX CONCURRENTLY ${index}`, query_timeout: NO_LIMIT_MS } as QueryConfig);
  return rows[0]?.valid === true;
}
