import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Checkpoint } from '../../../packages/proofs/checkpoint.js';
import { freezeOf } from './freeze.js';
import { FORMAT, handoverText, type Line, type ProofLine } from './handover.js';
import { columnsOf, rowsOf, schemaOf, TEXT_SETTINGS } from './table-rows.js';
import { TENANT_TABLES } from './tables.js';
import { UnitError } from './unit-error.js';

/** How long workers may take to add the last events to the transparency log. */
const LEAVES_MS = 30_000;
const LOOK_MS = 250;

/** The transparency log of the source. */
export interface SourceLog {
  /** The newest checkpoint: as it was signed, and what it says. */
  head(): Promise<{ readonly note: string; readonly checkpoint: Checkpoint } | null>;
  /** The proof that an event is in the tree of the last `head`; null: it is not. */
  proof(tenantId: string, sessionId: string, seq: number, hash: string): Promise<Pick<ProofLine, 'leafIndex' | 'hashes'> | null>;
  /** The text with the signature of the log's key. */
  sign(text: string): Promise<string>;
}

export interface ExportOptions {
  readonly tenantId: string;
  readonly log: SourceLog;
  /** The bytes of a file in object storage, as they are stored; null: there are none. */
  readonly object: (object: string) => Promise<Uint8Array | null>;
  /** Resolves when more can be written. */
  readonly write: (text: string) => Promise<void>;
}

export interface Exported {
  readonly lines: number;
  readonly note: string;
}

/**
 * Writes all that a frozen tenant owns, as of one moment, a page of rows at a time; then a proof for each session, and at last the note with which the tenant is handed over, signed over all of it.
 * A file without this last line is none. Throws a UnitError.
 */
export async function exportTenant(owner: pg.Client, { tenantId, log, object, write }: ExportOptions): Promise<Exported> {
  const name = await nameOf(owner, tenantId);
  const freeze = await freezeOf(owner, tenantId);
  if (freeze === null) throw notFrozen();
  await requireLogs(owner, tenantId);
  await leavesOf(owner, tenantId);
  const head = await log.head();
  if (head === null) throw new UnitError('leaves_missing', 'There is no transparency log yet; the first worker begins it.');
  const digest = createHash('sha256');
  let lines = 0;
  const put = async (line: Line): Promise<void> => {
    const text = `${JSON.stringify(line)}\n`;
    digest.update(text);
    lines += 1;
    await write(text);
  };
  await owner.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${TEXT_SETTINGS}`);
  try {
    await put({ type: 'tenant', format: FORMAT, tenantId, name, schema: await schemaOf(owner), checkpoint: head.note });
    for (const [table, { move }] of Object.entries(TENANT_TABLES)) if (move === 'copied') await putTable(owner, table, tenantId, object, put);
    await putProofs(owner, tenantId, log, put);
  } finally {
    await owner.query('ROLLBACK');
  }
  if ((await freezeOf(owner, tenantId)) !== freeze) throw notFrozen();
  const note = await log.sign(handoverText({ tenantId, checkpoint: head.checkpoint, lines, digest: digest.digest('hex') }));
  await write(`${JSON.stringify({ type: 'end', note })}\n`);
  return { lines: lines + 1, note };
}

async function nameOf(owner: pg.Client, tenantId: string): Promise<string> {
  const { rows } = await owner.query<{ name: string }>('SELECT name FROM tenant WHERE tenant_id = $1', [tenantId]);
  if (!rows[0]) throw new UnitError('tenant_missing', 'There is no tenant with this name.');
  return rows[0].name;
}

/** Archived logs lie in the storage of the source: none may be left there. */
async function requireLogs(owner: pg.Client, tenantId: string): Promise<void> {
  const { rows } = await owner.query<{ archived: number }>('SELECT count(*)::int AS archived FROM log_archive WHERE tenant_id = $1 AND object IS NOT NULL', [
    tenantId,
  ]);
  const [{ archived }] = rows as [{ archived: number }];
  if (archived > 0)
    throw new UnitError(
      'logs_archived',
      `The logs of ${archived} sessions are archived: verbatim thaw-tenant, unset ARCHIVE_AFTER_DAYS, verbatim restore-sessions, then freeze and repeat.`,
    );
}

async function putTable(owner: pg.Client, table: string, tenantId: string, object: ExportOptions['object'], put: (line: Line) => Promise<void>): Promise<void> {
  const columns = await columnsOf(owner, table);
  const names = columns.map((column) => column.name);
  await put({ type: 'table', name: table, columns: names });
  for await (const values of rowsOf(owner, table, columns, tenantId)) {
    await put({ type: 'row', values: table === 'blob' ? await withBytes(names, values, object) : values });
  }
}

/** The row of a file with its bytes, from the database or from object storage. */
async function withBytes(names: readonly string[], values: readonly (string | null)[], object: ExportOptions['object']): Promise<readonly (string | null)[]> {
  const id = values[names.indexOf('object')]!;
  if (id === null) return values;
  const bytes = await object(id);
  if (!bytes) throw new UnitError('file_missing', `The object ${id} of a file is not in the object storage, or there is no BLOB_STORE.`);
  const given: Readonly<Record<string, string | null>> = { bytes: `\\x${Buffer.from(bytes).toString('hex')}`, object: null, object_bytes: null };
  return values.map((value, index) => (names[index]! in given ? given[names[index]!]! : value));
}

async function putProofs(owner: pg.Client, tenantId: string, log: SourceLog, put: (line: Line) => Promise<void>): Promise<void> {
  const columns = ['session_id', 'version', 'head_hash'].map((name) => ({ name, type: 'text' }));
  for await (const [sessionId, version, head] of rowsOf(owner, 'stream', columns, tenantId)) {
    const [seq, hash] = [Number(version), head!.slice(2)];
    const proof = await log.proof(tenantId, sessionId!, seq, hash);
    if (!proof) throw new UnitError('leaves_missing', `The transparency log does not have event ${seq} of the session ${sessionId}: audit the session.`);
    await put({ type: 'proof', sessionId: sessionId!, seq, hash, ...proof });
  }
}

/** Until every event of the tenant is in the transparency log. */
async function leavesOf(owner: pg.Client, tenantId: string): Promise<void> {
  for (const end = performance.now() + LEAVES_MS; ; await pause(LOOK_MS)) {
    const { rows } = await owner.query<{ missing: number }>(
      `WITH s AS MATERIALIZED (SELECT tenant_id, session_id, version FROM stream WHERE tenant_id = $1)
      SELECT count(*)::int AS missing FROM s WHERE NOT EXISTS (SELECT FROM tlog_run r
        WHERE r.tenant_id = s.tenant_id AND r.session_id = s.session_id AND r.first_seq + octet_length(r.hashes) / 32 > s.version)`,
      [tenantId],
    );
    const [{ missing }] = rows as [{ missing: number }];
    if (missing === 0) return;
    if (performance.now() > end)
      throw new UnitError('leaves_missing', `Events of ${missing} sessions are not in the transparency log yet. Workers add them: start one, and repeat.`);
  }
}

const notFrozen = (): UnitError =>
  new UnitError('tenant_not_frozen', 'The tenant is not frozen, so what changes meanwhile would be lost: verbatim freeze-tenant, and then repeat.');
