import type { Json } from '../../../packages/protocol/message/content.js';
import type { SessionFilter, UserInfo } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { ListPlace } from '../../platform/postgres/store/cursor.js';
import { roleOf } from '../../platform/postgres/store/roles.js';

export interface SessionRow {
  readonly id: string;
  readonly version: bigint | null;
  readonly user_id: string;
  readonly title: string | null;
  readonly model: string;
  readonly status: 'idle' | 'running' | 'waiting' | 'closed';
  readonly queue_length: number;
  readonly turn_id: string | null;
  readonly archived: boolean;
  readonly message_count: number | null;
  readonly first_text: string | null;
  readonly last_text: string | null;
  readonly folder: string | null;
  readonly usage: object | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row of a search, which has at least one: without a match, one without a session. */
export interface SelectedRow extends Omit<SessionRow, 'id'> {
  readonly id: string | null;
  /** Whether the statement has looked at all rows of the list. */
  readonly is_all: boolean;
}

const COLUMNS = Prisma.sql`s.session_id AS id, v.version, s.user_id, s.title, s.model, s.status, s.queue_length, s.turn_id, s.archived,
  m.message_count, m.first_text, m.last_text, CASE WHEN jsonb_typeof(m.metadata->'folder') = 'string' AND char_length(m.metadata->>'folder') <= 200 THEN m.metadata->>'folder' END AS folder, m.usage, s.created_at, s.updated_at`;

/** The tenant is a value for each table: a distributed database asks the node of the tenant only then. */
const moreTables = (tenantId: string): Prisma.Sql => Prisma.sql`LEFT JOIN stream v ON v.tenant_id = ${tenantId}::uuid AND v.session_id = s.session_id
  LEFT JOIN session_summary m ON m.tenant_id = ${tenantId}::uuid AND m.session_id = s.session_id`;

const tables = (tenantId: string): Prisma.Sql => Prisma.sql`session s ${moreTables(tenantId)}`;

/**
 * Where a statement looks. `newest`: only at the newest rows that the caller may read, so that its cost is bounded; a full page of common matches is there. `all`: at the
 * matches that an index finds, sorted, which costs little when they are rare. The planner cannot choose: it does not know how rare a word, a combination of words or a
 * value of the metadata is, and where it expects too many matches, it walks through all rows by time.
 */
export type Scope = 'newest' | 'all';

/** The number of rows of `newest`: they take about 5 ms, and what is too rare to fill a page from them has few matches to sort. */
const NEWEST = { texts: 2_000, sessions: 1_000 };

/** Whether a filter needs `Scope`; the others are conditions on columns of the session itself. */
export function isSelective({ metadata, title }: SessionFilter): boolean {
  return metadata !== undefined || title !== undefined;
}

/** Sessions after `last` in the order of the list; without imports that are not complete. `language`: text search configuration of titles. */
export function sessions(tenantId: string, filter: SessionFilter, limit: number, last: ListPlace | null, language: string, scope: Scope): Prisma.Sql {
  const { userId, parent, sharedWith, pinnedBy, archived, status, model, updatedAfter, updatedBefore } = filter;
  const conditions = [
    Prisma.sql`s.tenant_id = ${tenantId}::uuid`,
    Prisma.sql`s.archived = ${archived}::boolean`,
    // Written out, because a partial index is used only for a literal.
    status === undefined ? Prisma.sql`s.status <> 'importing'` : STATUS[status],
    parent === undefined ? Prisma.sql`s.parent_id IS NULL` : Prisma.sql`s.parent_id = ${parent}::uuid`,
    ...(userId === null ? [] : [Prisma.sql`s.user_id = ${userId}::uuid`]),
    ...(sharedWith === undefined
      ? []
      : [
          Prisma.sql`s.session_id IN (SELECT g.session_id FROM session_grant g WHERE g.tenant_id = ${tenantId}::uuid AND g.principal = ANY (${[...sharedWith]}::text[]))`,
        ]),
    ...(pinnedBy === undefined
      ? []
      : [Prisma.sql`s.session_id IN (SELECT p.session_id FROM session_pin p WHERE p.tenant_id = ${tenantId}::uuid AND p.user_id = ${pinnedBy}::uuid)`]),
    ...(model === undefined ? [] : [Prisma.sql`s.model = ${model}::text`]),
    ...(updatedAfter === undefined ? [] : [Prisma.sql`s.updated_at >= ${updatedAfter}::timestamptz`]),
    ...(updatedBefore === undefined ? [] : [Prisma.sql`s.updated_at < ${updatedBefore}::timestamptz`]),
    ...(last === null ? [] : [Prisma.sql`(s.updated_at, s.session_id) < (${last.at}::timestamptz, ${last.id}::uuid)`]),
  ];
  const listed = Prisma.join(conditions, ' AND ');
  const order = Prisma.sql`ORDER BY s.updated_at DESC, s.session_id DESC`;
  if (!isSelective(filter)) return Prisma.sql`SELECT ${COLUMNS} FROM ${tables(tenantId)} WHERE ${listed} ${order} LIMIT ${limit}::bigint`;
  const within = scope === 'newest' ? newestWith(tenantId, listed, order, filter, language, limit) : allWith(tenantId, listed, order, filter, language, limit);
  return Prisma.sql`WITH ${within} SELECT ${COLUMNS}, looked.at_all AS is_all
    FROM looked LEFT JOIN (page JOIN session s ON s.tenant_id = ${tenantId}::uuid AND s.session_id = page.session_id ${moreTables(tenantId)}) ON true ORDER BY page.updated_at DESC, page.session_id DESC`;
}

/** Looks up the metadata and title of each of the newest rows. */
function newestWith(tenantId: string, listed: Prisma.Sql, order: Prisma.Sql, { metadata, title }: SessionFilter, language: string, limit: number): Prisma.Sql {
  const selected = [
    ...(metadata === undefined
      ? []
      : [
          Prisma.sql`(SELECT m.metadata FROM session_summary m WHERE m.tenant_id = ${tenantId}::uuid AND m.session_id = s.session_id) @> ${JSON.stringify(metadata)}::jsonb`,
        ]),
    ...(title === undefined
      ? []
      : [
          Prisma.sql`(SELECT t.words FROM search_text t WHERE t.tenant_id = ${tenantId}::uuid AND t.session_id = s.session_id AND t.message_id = s.session_id AND t.kind = 'title') @@ ${wordsOf(language, title)}`,
        ]),
  ];
  return Prisma.sql`listed AS MATERIALIZED (SELECT s.session_id, s.updated_at FROM session s WHERE ${listed} ${order} LIMIT ${NEWEST.sessions}::bigint),
    looked AS (SELECT count(*) < ${NEWEST.sessions}::bigint AS at_all FROM listed),
    page AS MATERIALIZED (SELECT s.session_id, s.updated_at FROM listed s WHERE ${Prisma.join(selected, ' AND ')} ${order} LIMIT ${limit}::bigint)`;
}

/** Asks the indexes of metadata and titles, once each, whatever the number of sessions. */
function allWith(tenantId: string, listed: Prisma.Sql, order: Prisma.Sql, filter: SessionFilter, language: string, limit: number): Prisma.Sql {
  const { userId, metadata, title } = filter;
  const found = [
    ...(metadata === undefined
      ? []
      : [
          Prisma.sql`SELECT m.session_id FROM metadata_of_tenant m
            WHERE m.indexed @> ${JSON.stringify({ ...metadata, [TENANT_MEMBER]: tenantId })}::jsonb AND m.metadata @> ${JSON.stringify(metadata)}::jsonb`,
        ]),
    ...(title === undefined
      ? []
      : [
          Prisma.sql`SELECT t.session_id FROM search_text_of_tenant t
            WHERE t.kind = 'title' AND t.words @@ (${wordsOf(language, title)} && ${ownerWord(tenantId, userId)}::tsquery) AND numnode(${wordsOf(language, title)}) > 0`,
        ]),
  ];
  return Prisma.sql`selected AS MATERIALIZED (${Prisma.join(found, ' INTERSECT ')}),
    looked AS (SELECT true AS at_all),
    page AS MATERIALIZED (SELECT s.session_id, s.updated_at FROM session s WHERE ${listed} AND s.session_id IN (SELECT session_id FROM selected) ${order} LIMIT ${limit}::bigint)`;
}

const wordsOf = (language: string, words: string): Prisma.Sql => Prisma.sql`websearch_to_tsquery(${language}::regconfig, ${words}::text)`;

/** The member with the tenant's id that the index of metadata adds. */
const TENANT_MEMBER = '\u0001tenant';

/** The word that project_session adds to each text: all texts that the caller may read have it, and hardly any others. */
function ownerWord(tenantId: string, userId: string | null): string {
  return userId === null ? `'\u0001t${firstDigits(tenantId)}'` : `'\u0001u${firstDigits(userId)}'`;
}

/** As many as project_session takes. */
const firstDigits = (uuid: string): string => uuid.toLowerCase().slice(0, 8);

const STATUS = {
  idle: Prisma.sql`s.status = 'idle'`,
  running: Prisma.sql`s.status = 'running'`,
  waiting: Prisma.sql`s.status = 'waiting'`,
  closed: Prisma.sql`s.status = 'closed'`,
} as const;

/** One session's row, with what else the commits of its log have written. */
export interface WholeSessionRow extends SessionRow {
  readonly grants: Readonly<Record<string, string>>;
  readonly is_held: boolean;
  readonly days: number | null;
  readonly is_erased: boolean;
  /** Null: no erasure of all content has begun. */
  readonly is_complete: boolean | null;
  readonly metadata: { readonly [key: string]: Json } | null;
}

/** Reads one session's row; also while it is imported. */
export function session(tenantId: string, sessionId: string): Prisma.Sql {
  const ofSession = Prisma.sql`x.tenant_id = ${tenantId}::uuid AND x.session_id = ${sessionId}::uuid`;
  return Prisma.sql`SELECT ${COLUMNS}, s.is_erased, m.metadata,
    (SELECT coalesce(jsonb_object_agg(x.principal, x.role), '{}') FROM session_grant x WHERE ${ofSession}) AS grants,
    EXISTS (SELECT FROM legal_hold x WHERE ${ofSession}) AS is_held,
    (SELECT x.days FROM session_retention x WHERE ${ofSession}) AS days,
    (SELECT x.is_complete FROM erased_session x WHERE ${ofSession}) AS is_complete
    FROM ${tables(tenantId)} WHERE s.tenant_id = ${tenantId}::uuid AND s.session_id = ${sessionId}::uuid`;
}

/** A user's sessions that have changed since a time, oldest change first. `lateMs`: from that long before; a time in the future of the database counts as its present. */
export function changedSessions(tenantId: string, userId: string, since: string, limit: number, lateMs: number | null): Prisma.Sql {
  const time = Prisma.sql`${since}::timestamptz`;
  // Stable during the statement, so that the index is used.
  const from = lateMs === null ? time : Prisma.sql`(least(${time}, statement_timestamp()) - ${lateMs}::int * interval '1 millisecond')`;
  return Prisma.sql`SELECT ${COLUMNS} FROM ${tables(tenantId)}
    WHERE s.tenant_id = ${tenantId}::uuid AND s.user_id = ${userId}::uuid AND s.archived IN (false, true) AND s.updated_at >= ${from} AND s.status <> 'importing' AND s.parent_id IS NULL
    ORDER BY s.updated_at, s.session_id LIMIT ${limit}::bigint`;
}

export interface HitRow {
  readonly session_id: string;
  readonly message_id: string;
  readonly title: string | null;
  readonly first_text: string | null;
  readonly archived: boolean;
  readonly user_id: string;
  readonly kind: 'title' | 'user' | 'assistant';
  readonly recorded_at: Date;
  readonly snippet: string;
}

/** Stands for `<` in a snippet: ts_headline leaves out what it takes for a tag. A code point that no text has. */
export const LESS_THAN = '\uFDD0';

/** The length of snippets, in words, and the marks around what was found. */
const HEADLINE = 'MaxWords=35, MinWords=15, ShortWord=0, MaxFragments=1, StartSel=\u0002, StopSel=\u0003';

/** The newest texts with these words, of one user or (null) of the tenant. Snippets are made for the page only. */
export function hits(
  tenantId: string,
  userId: string | null,
  words: string,
  language: string,
  limit: number,
  last: ListPlace | null,
  scope: Scope,
): Prisma.Sql {
  const query = Prisma.sql`websearch_to_tsquery(${language}::regconfig, ${words}::text)`;
  const conditions = [
    Prisma.sql`t.tenant_id = ${tenantId}::uuid`,
    ...(userId === null ? [] : [Prisma.sql`t.user_id = ${userId}::uuid`]),
    ...(last === null ? [] : [Prisma.sql`(t.recorded_at, t.message_id) < (${last.at}::timestamptz, ${last.id}::uuid)`]),
  ];
  const readable = Prisma.join(conditions, ' AND ');
  const matching = Prisma.sql`t.words @@ (${query} && ${ownerWord(tenantId, userId)}::tsquery) AND numnode(${query}) > 0 AND t.is_current`;
  const order = Prisma.sql`ORDER BY t.recorded_at DESC, t.message_id DESC`;
  const found =
    scope === 'newest'
      ? Prisma.sql`NOT MATERIALIZED (SELECT t.* FROM (SELECT * FROM search_text t WHERE ${readable} ${order} LIMIT ${NEWEST.texts}::bigint) t WHERE ${matching})`
      : Prisma.sql`MATERIALIZED (SELECT t.session_id, t.message_id, t.recorded_at FROM search_text_of_tenant t WHERE ${readable} AND ${matching})`;
  // Sorted before the sessions are looked up, so that only those of the page are.
  const inOrder = scope === 'newest' ? Prisma.sql`found` : Prisma.sql`(SELECT * FROM found t ${order})`;
  return Prisma.sql`WITH found AS ${found},
    page AS MATERIALIZED (SELECT t.session_id, t.message_id, t.recorded_at, s.title, s.archived FROM ${inOrder} t JOIN session s ON s.tenant_id = ${tenantId}::uuid AND s.session_id = t.session_id
      WHERE s.status <> 'importing' ${order} LIMIT ${limit}::bigint)
    SELECT p.session_id, p.message_id, p.title, m.first_text, p.archived, t.user_id, t.kind, t.recorded_at,
      ts_headline(${language}::regconfig, replace(t.text, '<', ${LESS_THAN}), ${query}, ${HEADLINE}) AS snippet
    FROM page p JOIN search_text t ON t.tenant_id = ${tenantId}::uuid AND t.session_id = p.session_id AND t.message_id = p.message_id
      LEFT JOIN session_summary m ON m.tenant_id = ${tenantId}::uuid AND m.session_id = p.session_id ORDER BY p.recorded_at DESC, p.message_id DESC`;
}

export interface UserRow {
  readonly user_id: string;
  readonly name: string;
  readonly role: string;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly deleted_at: Date | null;
  readonly sessions: bigint;
  readonly last_active_at: Date | null;
}

/** Users after `cursor` in the order of their ids. */
export function usersOf(tenantId: string, limit: number, cursor: string | null): Prisma.Sql {
  return Prisma.sql`${USERS} WHERE u.tenant_id = ${tenantId}::uuid ${cursor === null ? Prisma.empty : Prisma.sql`AND u.user_id > ${cursor}::uuid`}
    ORDER BY u.user_id LIMIT ${limit}::bigint`;
}

export function userOf(tenantId: string, userId: string): Prisma.Sql {
  return Prisma.sql`${USERS} WHERE u.tenant_id = ${tenantId}::uuid AND u.user_id = ${userId}::uuid`;
}

const USERS = Prisma.sql`SELECT u.user_id, u.name, u.role, u.created_at, u.disabled_at, u.deleted_at, s.sessions, s.last_active_at
  FROM app_user u, LATERAL (SELECT count(*) AS sessions, max(s.updated_at) AS last_active_at FROM session s
    WHERE s.tenant_id = u.tenant_id AND s.user_id = u.user_id AND s.status <> 'importing') s`;

export function userInfo(row: UserRow): UserInfo {
  return {
    id: row.user_id,
    name: row.name,
    role: roleOf(row.role),
    createdAt: row.created_at.toISOString(),
    disabledAt: row.disabled_at?.toISOString() ?? null,
    deletedAt: row.deleted_at?.toISOString() ?? null,
    sessions: Number(row.sessions),
    lastActiveAt: row.last_active_at?.toISOString() ?? null,
  };
}
