import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { SignedCheckpoint } from '../../../ports/index.js';

/**
 * What the owner of the database does with the transparency log after a restore. The triggers that keep its rows and those of events as they are, are switched off in the transaction of the
 * change. Neither hashes nor content of events are touched: `xact_id` only says where in the feed an event is.
 */

/** Milliseconds. Longer than any of the two takes; the lease is given back at the end. */
const LEASE_MS = 24 * 3_600_000;

/** Before every transaction of this server: the first number that a transaction can have. */
const EARLIEST = '3';
const LAST_POSITION = '9223372036854775807';

const TABLES = ['tlog_run', 'tlog_tile', 'tlog_checkpoint', 'tlog_anchor'] as const;

/** A worker adds to the log, or events of it are archived: the message says what to do first. */
export class LogInUse extends Error {}

/** Whether the tables name transactions that this server has not had yet: they come from a dump of another one. */
export async function isOfAnotherServer(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ ahead: boolean }>(
    `SELECT coalesce((SELECT max(xact_id) FROM event) >= pg_snapshot_xmax(pg_current_snapshot()), false)
       OR coalesce((SELECT transaction FROM tlog_checkpoint ORDER BY size DESC LIMIT 1) >= pg_snapshot_xmax(pg_current_snapshot()), false) AS ahead`,
  );
  return rows[0]!.ahead;
}

/** Continues the tree after a move to another server: what is in it comes first in the feed of this server, everything else after it. `size`: of the newest checkpoint that the caller has seen. Returns the number of events that it has yet to get. */
export function continueLog(client: Client, size: number): Promise<number> {
  return changing(client, size, ['event', 'tlog_checkpoint'], async () => {
    await client.query(
      `UPDATE event e SET xact_id = $1::xid8 FROM tlog_run r WHERE r.tenant_id = e.tenant_id AND r.session_id = e.session_id
         AND e.seq >= r.first_seq AND e.seq < r.first_seq + octet_length(r.hashes) / 32`,
      [EARLIEST],
    );
    const { rowCount } = await client.query(`UPDATE event SET xact_id = pg_current_xact_id() WHERE xact_id <> $1::xid8`, [EARLIEST]);
    await client.query(`UPDATE tlog_checkpoint SET transaction = $1::xid8, position = $2::bigint WHERE size = (SELECT max(size) FROM tlog_checkpoint)`, [
      EARLIEST,
      LAST_POSITION,
    ]);
    return rowCount ?? 0;
  });
}

/**
 * Begins an empty log, to which every event is added again. The tables of the old one are kept in their own schema; returns its name. `size`: of the newest checkpoint that the caller has seen, null: there is none. `signer`: null: the private key is a setting.
 */
export function beginLog(client: Client, size: number | null, checkpoint: Omit<SignedCheckpoint, 'createdAt'>, signer: string | null): Promise<string> {
  return changing(client, size, ['event', ...TABLES], async () => {
    await client.query('UPDATE event SET xact_id = pg_current_xact_id() WHERE xact_id >= pg_snapshot_xmax(pg_current_snapshot())');
    const { rows } = await client.query<{ name: string }>(
      `SELECT 'tlog_past_' || count(*) + 1 AS name FROM pg_namespace WHERE starts_with(nspname, 'tlog_past_')`,
    );
    const past = rows[0]!.name;
    await client.query(`CREATE SCHEMA ${past}`);
    for (const table of TABLES) await client.query(`CREATE TABLE ${past}.${table} AS TABLE public.${table}`);
    await client.query(`TRUNCATE ${TABLES.map((table) => `public.${table}`).join(', ')}`);
    if (signer !== null) {
      await client.query('DELETE FROM tlog_key');
      await client.query('INSERT INTO tlog_key (signer) VALUES ($1)', [signer]);
    }
    await client.query(`INSERT INTO tlog_checkpoint (size, root, note, verifier, transaction, position) VALUES (0, $1, $2, $3, '0', 0)`, [
      Buffer.from(checkpoint.root),
      checkpoint.note,
      checkpoint.verifier,
    ]);
    return past;
  });
}

/** In one transaction, under the lease of the process that adds events. */
async function changing<Result>(client: Client, size: number | null, tables: readonly string[], change: () => Promise<Result>): Promise<Result> {
  const holder = randomUUID();
  await client.query('BEGIN');
  try {
    // The row of the lease stays locked until the end: no worker can take it meanwhile.
    const { rows } = await client.query<{ fence: string | null }>(`SELECT take_lease('sequence', $1, $2) AS fence`, [holder, LEASE_MS]);
    await client.query('SET LOCAL synchronous_commit = on'); // a lease may be lost in a crash, this may not
    if (rows[0]!.fence === null)
      throw new LogInUse('A worker adds events to the transparency log. Stop all processes of the server, wait for TLOG_LEASE_MS, and repeat.');
    const { rows: newest } = await client.query<{ size: string | null }>('SELECT max(size) AS size FROM tlog_checkpoint');
    // Between the reading of the caller and the lease a worker may have added to the log, and ended.
    if (newest[0]!.size !== (size === null ? null : String(size)))
      throw new LogInUse('A worker has added events to the transparency log in the meantime. Repeat the command.');
    // Their events are no rows that this could change, and would come back as they were.
    const { rows: archives } = await client.query<{ archived: number }>('SELECT count(*)::int AS archived FROM log_archive WHERE object IS NOT NULL');
    if (archives[0]!.archived > 0)
      throw new LogInUse(`The logs of ${archives[0]!.archived} sessions are archived. Bring them back with verbatim restore-sessions, and repeat.`);
    const { rows: triggers } = await client.query<{ name: string; of: string }>(
      `SELECT quote_ident(tgname) AS name, tgrelid::regclass::text AS of FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = ANY ($1::text[]::regclass[])`,
      [tables],
    );
    for (const { name, of } of triggers) await client.query(`ALTER TABLE ${of} DISABLE TRIGGER ${name}`);
    const result = await change();
    for (const { name, of } of triggers) await client.query(`ALTER TABLE ${of} ENABLE ALWAYS TRIGGER ${name}`);
    await client.query(`SELECT end_lease('sequence', $1)`, [holder]);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the connection may be gone, and with it the transaction
    throw error;
  }
}
