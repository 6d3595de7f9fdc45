import pg from 'pg';
import {
  type AnchorReceipt,
  type Extension,
  type FeedCursor,
  type LeafRun,
  type MissingGuard,
  type PendingLeaf,
  type SessionPlace,
  type SignedCheckpoint,
  TaskLeases,
  TransparencyLog,
} from '../../../ports/index.js';
import type { TileHashes } from '../../../../packages/proofs/proofs.js';
import { type Tile, TILE_WIDTH, widthOf } from '../../../../packages/proofs/tiles.js';
import { concat, hashesIn } from '../../../../packages/proofs/tree.js';
import { clientOptions, type ConnectionOptions } from '../../../platform/postgres/connection/client-options.js';
import { withRetry } from '../../../platform/postgres/connection/retry.js';
import type { TenantConfig } from '../../../platform/postgres/connection/tenant-query.js';
import type { PostgresNodes } from '../../../platform/postgres/nodes/postgres-nodes.js';
import * as statements from './statements.js';

/** Few: tiles are small, and everything else is done by one process. */
const CONNECTIONS = 2;

/** Bytes of a pending event: ids of tenant and session, seq, hash. */
const LEAF_BYTES = 16 + 16 + 8 + 32;

/** Lower than any id. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** As SESSIONS_AFTER, on a distributed database while a node is away. */
const REACHABLE_SESSIONS =
  'SELECT tenant_id::text AS "tenantId", session_id::text AS "sessionId" FROM reachable_sessions($1::int, $2::uuid, $3::uuid, $4::bigint)';

const START: FeedCursor = { transaction: '0', position: '0' };

/** Uses the driver directly, as the blob store does: Prisma's client converts bytes to base64 and back. */
export class PostgresTransparencyLog extends TransparencyLog {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;
  readonly #nodes: Pick<PostgresNodes, 'within'> | null;
  /** Of the same connections. */
  readonly leases: TaskLeases;

  /** `nodes`: of a database that may be distributed; needed for what is of all tenants. */
  constructor(options: ConnectionOptions, nodes: Pick<PostgresNodes, 'within'> | null = null) {
    super();
    this.#nodes = nodes;
    this.#timeoutMs = options.timeoutMs;
    this.#pool = new pg.Pool({ ...clientOptions(options), max: CONNECTIONS });
    this.#pool.on('error', () => {}); // the pool replaces an idle connection that breaks
    this.leases = new PostgresTaskLeases((text, values) => this.#query(text, values));
  }

  override async head(): Promise<(SignedCheckpoint & { readonly cursor: FeedCursor }) | null> {
    const [row] = await this.#query<CheckpointRow>(statements.HEAD, []);
    if (!row) return null;
    const { leaves: size, root, note, verifier, transaction, position, created_at: createdAt } = row;
    return { size, root, note, verifier, createdAt: createdAt.toISOString(), cursor: { transaction, position } };
  }

  override async pending(cursor: FeedCursor | null, limit: number) {
    const { transaction, position } = cursor ?? START;
    const [row] = await this.#query<PendingRow>(statements.PENDING, [transaction, position, limit]);
    if (!row) throw new Error('The statement for pending events returned nothing');
    if (row.is_ahead) {
      throw new Error('the newest checkpoint names a transaction of the future: the tables come from a dump of another server. See docs/proofs.md, Restoring');
    }
    const { leaves, is_complete: isComplete } = row;
    const last = row.transaction === null || row.position === null ? { transaction, position } : { transaction: row.transaction, position: row.position };
    return { leaves: leaves === null ? [] : leavesIn(leaves), cursor: last, isComplete };
  }

  override async extend(holder: string, fence: number, { from, runs, tiles, checkpoint, cursor }: Extension): Promise<boolean> {
    const hashes = runs.flatMap((run) => run.hashes);
    const [row] = await this.#query<{ extended: boolean }>(statements.EXTEND, [
      holder,
      fence,
      from,
      runs.map(({ tenantId }) => tenantId),
      runs.map(({ sessionId }) => sessionId),
      runs.map(({ firstSeq }) => firstSeq),
      runs.map((run) => run.hashes.length),
      Buffer.concat(hashes),
      tiles.map(({ level }) => level),
      tiles.map(({ index }) => index),
      Buffer.concat(tiles.flatMap((tile) => tile.hashes)),
      Buffer.concat(tiles.map(({ root }) => root)),
      checkpoint.root,
      checkpoint.note,
      checkpoint.verifier,
      cursor.transaction,
      cursor.position,
    ]);
    return row?.extended === true;
  }

  override async tiles(tiles: readonly Tile[], size: number): Promise<TileHashes> {
    const full = tiles.filter((tile) => widthOf(tile, size) === TILE_WIDTH);
    const partial = tiles.filter((tile) => widthOf(tile, size) < TILE_WIDTH);
    const found = new Map<string, readonly Uint8Array[]>();
    const [rows, leaves, roots] = await Promise.all([this.#full(full), this.#leaves(partial), this.#roots(partial)]);
    for (const { level, index, hashes } of rows) found.set(nameOf({ level, index }), hashesIn(hashes));
    for (const tile of partial) found.set(nameOf(tile), (tile.level === 0 ? leaves : (roots.get(nameOf(tile)) ?? [])).slice(0, widthOf(tile, size)));
    return (tile) => found.get(nameOf(tile)) ?? [];
  }

  override async runsOf(tenantId: string, sessionId: string, seq: number, limit: number): Promise<readonly LeafRun[]> {
    return (await this.#query<RunRow>(statements.RUNS_OF, [tenantId, sessionId, seq, limit], tenantId)).map(runOf);
  }

  override async lastRunOf(tenantId: string, sessionId: string, seq: number, size: number): Promise<LeafRun | null> {
    const [row] = await this.#query<RunRow>(statements.LAST_RUN_OF, [tenantId, sessionId, seq, size], tenantId);
    return row ? runOf(row) : null;
  }

  override async eventHashes(tenantId: string, sessionId: string, seq: number, limit: number): Promise<readonly Uint8Array[]> {
    const [row] = await this.#query<{ hashes: Buffer | null }>(statements.EVENT_HASHES, [tenantId, sessionId, seq, limit], tenantId);
    return row?.hashes ? hashesIn(row.hashes) : [];
  }

  override async leftOut(tenantId: string, sessionId: string, seq: number, { transaction, position }: FeedCursor): Promise<number | null> {
    const [row] = await this.#query<{ seq: number }>(statements.LEFT_OUT, [tenantId, sessionId, seq, transaction, position], tenantId);
    return row?.seq ?? null;
  }

  override async sessionsOf(tenantId: string, after: string | null, limit: number): Promise<readonly string[]> {
    // One after the other, since a session has rows before it has leaves, which stay. Not in one statement: a distributed database does not have both on one server.
    const ids: string[] = [];
    for (const statement of [statements.LISTED_SESSIONS, statements.LOGGED_SESSIONS]) {
      ids.push(...(await this.#query<{ id: string }>(statement, [tenantId, after ?? NIL, limit], tenantId)).map(({ id }) => id));
    }
    return [...new Set(ids)].toSorted().slice(0, limit);
  }

  override async sessionsAfter(
    after: SessionPlace | null,
    limit: number,
  ): Promise<{ readonly sessions: readonly SessionPlace[]; readonly isComplete: boolean }> {
    const page = [after?.tenantId ?? NIL, after?.sessionId ?? NIL, limit];
    const all = async () => ({ sessions: await this.#query<SessionPlace>(statements.SESSIONS_AFTER, page), isComplete: true });
    return this.#nodes
      ? this.#nodes.within(all, async (waitMs) => ({ sessions: await this.#query<SessionPlace>(REACHABLE_SESSIONS, [waitMs, ...page]), isComplete: false }))
      : all();
  }

  override async runs(index: number, limit: number): Promise<readonly LeafRun[]> {
    return (await this.#query<RunRow>(statements.RUNS, [index, limit])).map(runOf);
  }

  override missingGuards(): Promise<readonly MissingGuard[]> {
    return this.#query<MissingGuard>(statements.MISSING_GUARDS, []);
  }

  override async recordAnchor(target: string, size: number, receipt: string | null): Promise<void> {
    await this.#query(statements.RECORD_ANCHOR, [target, size, receipt]);
  }

  override async anchorReceipts(limit: number): Promise<readonly AnchorReceipt[]> {
    const rows = await this.#query<{ leaves: number; note: string; target: string; anchored_at: Date; receipt: string }>(statements.ANCHOR_RECEIPTS, [limit]);
    return rows.map(({ leaves: size, anchored_at, ...row }) => ({ ...row, size, at: anchored_at.toISOString() }));
  }

  override async lastAnchor(): Promise<{ readonly size: number; readonly at: string } | null> {
    const [row] = await this.#query<{ leaves: number; anchored_at: Date }>(statements.LAST_ANCHOR, []);
    return row ? { size: row.leaves, at: row.anchored_at.toISOString() } : null;
  }

  override async storedSigner(created: string): Promise<string> {
    for (;;) {
      const [row] = await this.#query<{ signer: string }>(statements.STORED_SIGNER, [created]);
      if (row) return row.signer; // no row: another process has stored its own while this statement ran
    }
  }

  /** Waits for running statements, then closes every connection. */
  close(): Promise<void> {
    return this.#pool.end();
  }

  async #full(tiles: readonly Tile[]): Promise<readonly { readonly level: number; readonly index: number; readonly hashes: Buffer }[]> {
    if (tiles.length === 0) return [];
    return this.#query(statements.FULL_TILES, [tiles.map(({ level }) => level), tiles.map(({ index }) => index)]);
  }

  /** Of the one tile of level 0 that is not full. */
  async #leaves(partial: readonly Tile[]): Promise<readonly Uint8Array[]> {
    const tile = partial.find(({ level }) => level === 0);
    if (!tile) return [];
    const rows = await this.#query<{ hashes: Buffer }>(statements.FIRST_LEAVES, [tile.index * TILE_WIDTH, (tile.index + 1) * TILE_WIDTH]);
    return hashesIn(concat(rows.map(({ hashes }) => hashes)));
  }

  async #roots(partial: readonly Tile[]): Promise<ReadonlyMap<string, readonly Uint8Array[]>> {
    const tiles = partial.filter(({ level }) => level > 0);
    if (tiles.length === 0) return new Map();
    const rows = await this.#query<{ level: number; index: number; root: Buffer }>(statements.ROOTS, [
      tiles.map(({ level }) => level),
      tiles.map(({ index }) => index),
    ]);
    return grouped(rows);
  }

  /** `tenant`: needed for tables with rows of tenants. */
  #query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[], tenant?: string): Promise<readonly Row[]> {
    const statement: pg.QueryConfig | TenantConfig = { text, values: [...values], ...(tenant === undefined ? {} : { tenant }) };
    return withRetry(this.#timeoutMs, async () => (await this.#pool.query<Row>(statement)).rows);
  }
}

class PostgresTaskLeases extends TaskLeases {
  constructor(private readonly query: <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>) {
    super();
  }

  override async take(task: string, holder: string, leaseMs: number): Promise<number | null> {
    const [row] = await this.query<{ fence: string | null }>('SELECT take_lease($1, $2::uuid, $3::float8) AS fence', [task, holder, leaseMs]);
    return row === undefined || row.fence === null ? null : Number(row.fence);
  }

  override async progress(task: string): Promise<unknown> {
    const [row] = await this.query<{ progress: unknown }>('SELECT read_progress($1) AS progress', [task]);
    return row?.progress ?? null;
  }

  override async keep(task: string, holder: string, fence: number, progress: unknown): Promise<boolean> {
    const values = [task, holder, fence, JSON.stringify(progress)];
    const [row] = await this.query<{ kept: boolean }>('SELECT keep_progress($1, $2::uuid, $3::bigint, $4::json) AS kept', values);
    return row?.kept === true;
  }

  override async end(task: string, holder: string): Promise<void> {
    await this.query('SELECT end_lease($1, $2::uuid)::text', [task, holder]);
  }
}

interface CheckpointRow {
  readonly leaves: number;
  readonly root: Buffer;
  readonly note: string;
  readonly verifier: string;
  readonly transaction: string;
  readonly position: string;
  readonly created_at: Date;
}

interface PendingRow {
  readonly leaves: Buffer | null;
  readonly transaction: string | null;
  readonly position: string | null;
  readonly is_complete: boolean;
  readonly is_ahead: boolean;
}

interface RunRow {
  readonly index: number;
  readonly tenant: string;
  readonly session: string;
  readonly seq: number;
  readonly hashes: Buffer;
}

const nameOf = ({ level, index }: Tile): string => `${level}/${index}`;

function runOf(row: RunRow): LeafRun {
  return { firstIndex: row.index, tenantId: row.tenant, sessionId: row.session, firstSeq: row.seq, hashes: hashesIn(row.hashes) };
}

function leavesIn(bytes: Buffer): readonly PendingLeaf[] {
  const leaves: PendingLeaf[] = [];
  for (let at = 0; at < bytes.length; at += LEAF_BYTES) {
    const [tenantId, sessionId] = [uuidAt(bytes, at), uuidAt(bytes, at + 16)];
    leaves.push({ tenantId, sessionId, seq: Number(bytes.readBigInt64BE(at + 32)), hash: bytes.subarray(at + 40, at + 72) });
  }
  return leaves;
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function grouped(rows: readonly { readonly level: number; readonly index: number; readonly root: Buffer }[]): ReadonlyMap<string, readonly Uint8Array[]> {
  const tiles = new Map<string, Uint8Array[]>();
  for (const { level, index, root } of rows.toSorted((a, b) => a.index - b.index)) {
    const name = nameOf({ level: level + 1, index: Math.floor(index / TILE_WIDTH) });
    const roots = tiles.get(name) ?? [];
    tiles.set(name, roots);
    roots.push(root);
  }
  return tiles;
}
