import { type Append, type KnownVersion, ENCRYPTION_BYTES } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { PreparedAppend } from './group-commit.js';
import type { ProjectionColumns } from './projection.js';
import { columnsAfter, LOG_COLUMNS } from './log-row.js';
import type { EventColumns } from '../../platform/postgres/store/row.js';

/** The SQL on the log and the session list, separate from the code that sends it, so that a test can check the plans of exactly these statements. */

export interface AppendRow {
  readonly outcome: 'appended' | 'duplicate' | 'conflict' | 'key_reused' | 'fenced' | 'archived';
  readonly first_seq: string | null;
  readonly last_seq: string | null;
  readonly recorded_at: Date | null;
  readonly jobs_pending: boolean | null;
  readonly claim_fence: string | null;
  /** Of the last event; null without events. */
  readonly head_hash: Buffer | null;
}

/**
 * The data of the events as an array. pg writes an array of texts element by element with a replacement per quote, which holds the event loop for as long as a
 * second when a text of a few megabytes is full of them; therefore one JSON text, or, of a few large events, a parameter each, which needs no escaping at all.
 */
function dataArray(data: readonly string[]): Prisma.Sql {
  const isLarge = data.length <= PARAMETERS && data.some(({ length }) => length > LARGE_CHARACTERS);
  if (isLarge) return Prisma.sql`ARRAY[${Prisma.join(data.map((text) => Prisma.sql`${text}::text`))}]`;
  return Prisma.sql`ARRAY(SELECT json_array_elements_text(${JSON.stringify(data)}::json))`;
}

/** Each number of parameters is a separate statement, which Postgres prepares. */
const PARAMETERS = 4;
const LARGE_CHARACTERS = 256 * 1024;

/** `effects`: calls of functions that take the outcome, to be made by the same statement. */
export function append({ summary, ...given }: Append, columns: EventColumns, effects: readonly Prisma.Sql[] = []): Prisma.Sql {
  return Prisma.sql`SELECT outcome, first_seq, last_seq, recorded_at, jobs_pending, claim_fence, head_hash${effects.length > 0 ? Prisma.sql`, ${Prisma.join([...effects])}` : Prisma.empty} FROM append_events(
    ${given.tenantId}::uuid, ${given.sessionId}::uuid, ${given.expectedVersion}::bigint,
    ${given.commandId}::uuid, ${Buffer.from(given.requestHash, 'hex')}::bytea, ${JSON.stringify(given.actor)}::text,
    ${columns.ids}::uuid[], ${columns.types}::text[], ${columns.schemas}::int[], ${dataArray(columns.data)}, ${JSON.stringify(given.jobs)}::jsonb,
    ${[...given.completedJobs]}::text[], ${given.claim?.jobId ?? null}::text, ${given.claim?.fence ?? null}::bigint,
    ${summary.userId}::uuid, ${summary.title}::text, ${summary.model}::text, ${summary.status}::text, ${summary.queueLength}::int, ${summary.turnId}::uuid,
    ${given.dispatch?.holder ?? null}::uuid, ${given.dispatch?.perTenant ?? null}::int, ${given.dispatch?.leaseMs ?? null}::float8${columns.digests ? Prisma.sql`, ${columns.salts}::bytea[], ${columns.digests}::bytea[]` : Prisma.empty})`;
}

/** The call of project_session in the select list of `append`: its columns are the outcome and the time of that append. */
export function project({ tenantId, sessionId, summary }: Append, { facts, language, ids, kinds, texts, hidden, shown }: ProjectionColumns): Prisma.Sql {
  return Prisma.sql`project_session(outcome, recorded_at, ${tenantId}::uuid, ${sessionId}::uuid, ${summary.userId}::uuid, ${facts}::jsonb, ${language}::regconfig,
    ${ids}::uuid[], ${kinds}::text[], ${texts}::text[], ${hidden}::uuid[], ${shown}::uuid[])`;
}

/** The call of count_usage in the select list of `append`. */
export function countUsage({ tenantId, sessionId }: Append, usage: readonly object[]): Prisma.Sql {
  return Prisma.sql`count_usage(outcome, recorded_at, ${tenantId}::uuid, ${sessionId}::uuid, ${JSON.stringify(usage)}::jsonb)`;
}

export interface BatchRow extends Omit<AppendRow, 'outcome'> {
  /** `busy`: not attempted. */
  readonly outcome: AppendRow['outcome'] | 'busy';
}

/** Appends in one commit, without effects. The rows are in their order. */
export function appendBatch(batch: readonly PreparedAppend[]): Prisma.Sql {
  const appends = batch.map(({ append }) => append);
  const completed = appends.flatMap(({ tenantId, completedJobs }) => completedJobs.map((id) => ({ tenantId, id })));
  return Prisma.sql`SELECT outcome, first_seq, last_seq, recorded_at, jobs_pending, claim_fence, head_hash FROM append_batch(
    ${appends.map(({ tenantId }) => tenantId)}::uuid[], ${appends.map(({ sessionId }) => sessionId)}::uuid[],
    ${completed.map(({ tenantId }) => tenantId)}::uuid[], ${completed.map(({ id }) => id)}::text[],
    ${`[${batch.map(batchItem).join(',')}]`}::json)`;
}

/** The members are the columns that append_batch reads. `facts` is JSON already. */
function batchItem({ append, columns, projection }: PreparedAppend): string {
  const { summary, claim, dispatch } = append;
  const item = JSON.stringify({
    tenant: append.tenantId,
    session: append.sessionId,
    expected: append.expectedVersion,
    command: append.commandId,
    request_hash: append.requestHash,
    actor: JSON.stringify(append.actor),
    ...columns,
    jobs: append.jobs,
    completed: append.completedJobs,
    claim_job: claim?.jobId,
    claim_fence: claim?.fence,
    user: summary.userId,
    title: summary.title,
    model: summary.model,
    status: summary.status,
    queue_length: summary.queueLength,
    turn: summary.turnId,
    holder: dispatch?.holder,
    per_tenant: dispatch?.perTenant,
    lease_ms: dispatch?.leaseMs,
    usage: append.usage?.length ? append.usage : undefined,
    ...(projection && {
      language: projection.language,
      text_ids: projection.ids,
      text_kinds: projection.kinds,
      texts: projection.texts,
      hidden: projection.hidden,
      shown: projection.shown,
    }),
  });
  return projection ? `${item.slice(0, -1)},"facts":${projection.facts}}` : item;
}

/** The number of the claim with which an append handed a job over to `holder`; no row when it did not, or when the lease has expired since. */
export function heldFence(tenantId: string, holder: string, jobId: string): Prisma.Sql {
  return Prisma.sql`SELECT fence FROM outbox WHERE tenant_id = ${tenantId}::uuid AND job_id = ${jobId}::text AND holder = ${holder}::uuid`;
}

/** A row where the events of the log are in object storage. */
const archived = (tenantId: string, sessionId: string): Prisma.Sql => Prisma.sql`FROM log_archive
  WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid AND object IS NOT NULL`;

/** Rows of the log in order, and the row ARCHIVED after them when it is archived: of the same statement, and so of the same snapshot, so that no read takes an archived log for a short one. */
const orArchived = (tenantId: string, sessionId: string, rows: Prisma.Sql): Prisma.Sql => Prisma.sql`SELECT head, data FROM (
    (${rows}) UNION ALL SELECT 9223372036854775807, ${ARCHIVED}::text, NULL::text ${archived(tenantId, sessionId)}) log ORDER BY seq`;

/** The head of that row. */
export const ARCHIVED = 'archived';

/** `limit` null: all. */
export function read(tenantId: string, sessionId: string, after: number, upTo: number, limit: number | null): Prisma.Sql {
  const rows = Prisma.sql`SELECT seq, ${LOG_COLUMNS} FROM event
    WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid AND seq > ${after}::bigint AND seq <= ${upTo}::bigint
    ORDER BY seq LIMIT ${limit}::bigint`;
  return orArchived(tenantId, sessionId, rows);
}

/** The same, and before it the event `after`, without its data. */
export function readWithHash(tenantId: string, sessionId: string, after: number, upTo: number, limit: number | null): Prisma.Sql {
  const rows = Prisma.sql`SELECT seq, ${columnsAfter(after)} FROM event
    WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid AND seq >= ${after}::bigint AND seq <= ${upTo}::bigint
    ORDER BY seq LIMIT ${limit === null ? null : limit + 1}::bigint`;
  return orArchived(tenantId, sessionId, rows);
}

/** Whether it is archived, for statements that answer with one row. */
const isArchived = (tenantId: string, sessionId: string): Prisma.Sql => Prisma.sql`EXISTS (SELECT ${archived(tenantId, sessionId)}) AS archived`;

/** The maximum size of the header that Postgres stores with a value. */
const VALUE_HEADER_BYTES = 4;

/** The size of an event's data; of encrypted data, which is base64 in quotes, that of its content. */
const DATA_BYTES = Prisma.sql`CASE WHEN left(data::text, 1) = '"' THEN (octet_length(rtrim(data::text, '="')) - 1) * 3 / 4 - ${ENCRYPTION_BYTES}::int ELSE octet_length(data::text) END`;

/** Evaluated in order: counting stored bytes decompresses nothing, and a log with few stored bytes is cheap to decompress. Encrypted data is larger than its content, by a third and ENCRYPTION_BYTES. */
export function exceeds(tenantId: string, sessionId: string, most: { readonly events: number; readonly bytes: number }): Prisma.Sql {
  return Prisma.sql`WITH log AS MATERIALIZED (SELECT data FROM event WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid ORDER BY seq LIMIT ${most.events + 1}::bigint)
    SELECT (SELECT count(*) FROM log) > ${most.events}::bigint
      OR (SELECT sum((pg_column_size(data) - ${VALUE_HEADER_BYTES}::bigint) * 3 / 4 - ${ENCRYPTION_BYTES + 4}::int) FROM log) > ${most.bytes}::bigint
      OR (SELECT sum(${DATA_BYTES}) FROM log) > ${most.bytes}::bigint AS exceeds, ${isArchived(tenantId, sessionId)}`;
}

/** How many events after one stay within both limits, or 1. No more of them are measured than that and the next one. */
export function within(tenantId: string, sessionId: string, after: number, most: { readonly events: number; readonly bytes: number }): Prisma.Sql {
  return Prisma.sql`WITH RECURSIVE measured AS (
      SELECT ${after}::bigint AS seq, 0::bigint AS bytes
      UNION ALL
      SELECT e.seq, m.bytes + e.bytes FROM measured m
        JOIN LATERAL (SELECT seq, ${DATA_BYTES} AS bytes FROM event WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid AND seq > m.seq ORDER BY seq LIMIT 1) e ON true
      WHERE m.bytes <= ${most.bytes}::bigint AND m.seq < ${after}::bigint + ${most.events}::bigint)
    SELECT greatest(1, count(*) FILTER (WHERE bytes <= ${most.bytes}::bigint) - 1)::int AS events, ${isArchived(tenantId, sessionId)} FROM measured`;
}

/** The text is compared as it is stored: ids are in lower case. */
export function forks(tenantId: string, sessionId: string): Prisma.Sql {
  return Prisma.sql`SELECT session_id::text AS session FROM fork_of_tenant
    WHERE parent = ${sessionId.toLowerCase()}::text AND tenant_id = ${tenantId}::uuid`;
}

/** Of all tenants. */
export function erasedSince(sessions: readonly KnownVersion[]): Prisma.Sql {
  const [tenants, ids] = [sessions.map(({ tenantId }) => tenantId), sessions.map(({ sessionId }) => sessionId)];
  return Prisma.sql`SELECT ordinal FROM erased_since(${tenants}::uuid[], ${ids}::uuid[], ${sessions.map(({ version }) => BigInt(version))}::bigint[]) AS ordinal`;
}

/** The same of one tenant, whose node is asked then. */
export function erasedOf(tenantId: string, sessions: readonly KnownVersion[]): Prisma.Sql {
  return Prisma.sql`SELECT DISTINCT k.ordinal::int AS ordinal
    FROM unnest(${sessions.map(({ sessionId }) => sessionId)}::uuid[], ${sessions.map(({ version }) => BigInt(version))}::bigint[]) WITH ORDINALITY AS k(session_id, version, ordinal)
    JOIN event e ON e.session_id = k.session_id AND e.seq > k.version WHERE e.tenant_id = ${tenantId}::uuid AND e.type = 'content.erased'`;
}

export function hashAt(tenantId: string, sessionId: string, seq: number): Prisma.Sql {
  return Prisma.sql`SELECT (SELECT encode(hash, 'hex') FROM event WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid AND seq = ${seq}::bigint) AS hash,
    ${isArchived(tenantId, sessionId)}`;
}

export interface HeadRow {
  /** Null, as the hash, when there is no row of this session. */
  readonly version: bigint | null;
  readonly head_hash: string | null;
  /** The highest seq of the stored events, in the same snapshot. */
  readonly last_seq: bigint | null;
}

export function head(tenantId: string, sessionId: string): Prisma.Sql {
  return Prisma.sql`SELECT s.version, encode(s.head_hash, 'hex') AS head_hash,
      (SELECT max(seq) FROM event e WHERE e.tenant_id = ${tenantId}::uuid AND e.session_id = ${sessionId}::uuid) AS last_seq
    FROM (SELECT) one LEFT JOIN stream s ON s.tenant_id = ${tenantId}::uuid AND s.session_id = ${sessionId}::uuid`;
}

export interface WaitingRow {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly turn_id: string;
  readonly updated_at: Date;
}

export function expiredWaits(idleMs: number, limit: number): Prisma.Sql {
  return Prisma.sql`SELECT tenant_id, session_id, turn_id, updated_at FROM expired_waits(${idleMs}::float8, ${limit}::bigint)`;
}
