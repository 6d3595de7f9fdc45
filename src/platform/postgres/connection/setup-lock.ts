import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';

/** The server ends a session with the lock after this much silence, so that a holder with a broken connection does not stop every other start. */
const IDLE_MS = 20_000;
const POLL_MS = 200;

/**
 * Takes the advisory lock of a setup step, which is released with the connection, or with the transaction for a `_xact_` function. `lock`: a call of a `pg_try_advisory_…`
 * function with `key` as $1. Asks repeatedly instead of waiting in one statement: the answer to a statement that waits for another process cannot have a time limit.
 */
export async function takeSetupLock(client: Client, lock: string, key: number | string): Promise<void> {
  await endWhenIdle(client);
  const attempt = async (): Promise<boolean> => (await client.query<{ taken: boolean }>(`SELECT ${lock} AS taken`, [key])).rows[0]!.taken;
  while (!(await attempt())) await pause(POLL_MS);
}

/** Has the server end this session when it hears nothing from the client for a while, within a transaction as well. */
export async function endWhenIdle(client: Client): Promise<void> {
  // From pg_settings, because older servers lack the first one.
  await client.query(`SELECT set_config(name, $1, false) FROM pg_settings WHERE name IN ('idle_session_timeout', 'idle_in_transaction_session_timeout')`, [
    String(IDLE_MS),
  ]);
}
