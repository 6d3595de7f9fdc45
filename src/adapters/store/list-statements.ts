import type { SessionFilter } from '../../core/ports.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { ListPlace } from './cursor.js';

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
  readonly usage: object | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = Prisma.sql`s.session_id AS id, v.version, s.user_id, s.title, s.model, s.status, s.queue_length, s.turn_id, s.archived,
  m.message_count, m.first_text, m.last_text, m.usage, s.created_at, s.updated_at`;

const TABLES = Prisma.sql`session s LEFT JOIN stream v ON v.session_id = s.session_id LEFT JOIN session_summary m ON m.session_id = s.session_id`;

/** Sessions after `last` in the order of the list; without imports that are not complete. `language`: text search configuration of titles. */
export function sessions(tenantId: string, filter: SessionFilter, limit: number, last: ListPlace | null, language: string): Prisma.Sql {
  const { userId, archived, status, model, metadata, title, updatedAfter, updatedBefore } = filter;
  const conditions = [
    Prisma.sql`s.tenant_id = ${tenantId}::uuid`,
    Prisma.sql`s.archived = ${archived}::boolean`,
    // Written out, because a partial index is used only for a literal.
    status === undefined ? Prisma.sql`s.status <> 'importing'` : STATUS[status],
    ...(userId === null ? [] : [Prisma.sql`s.user_id = ${userId}::uuid`]),
    ...(model === undefined ? [] : [Prisma.sql`s.model = ${model}::text`]),
    ...(metadata === undefined ? [] : [Prisma.sql`m.metadata @> ${JSON.stringify(metadata)}::jsonb`]),
    ...(title === undefined ? [] : [titled(title, language)]),
    ...(updatedAfter === undefined ? [] : [Prisma.sql`s.updated_at >= ${updatedAfter}::timestamptz`]),
    ...(updatedBefore === undefined ? [] : [Prisma.sql`s.updated_at < ${updatedBefore}::timestamptz`]),
    ...(last === null ? [] : [Prisma.sql`(s.updated_at, s.session_id) < (${last.at}::timestamptz, ${last.id}::uuid)`]),
  ];
  return Prisma.sql`SELECT ${COLUMNS} FROM ${TABLES} WHERE ${Prisma.join(conditions, ' AND ')} ORDER BY s.updated_at DESC, s.session_id DESC LIMIT ${limit}::bigint`;
}

const STATUS = {
  idle: Prisma.sql`s.status = 'idle'`,
  running: Prisma.sql`s.status = 'running'`,
  waiting: Prisma.sql`s.status = 'waiting'`,
  closed: Prisma.sql`s.status = 'closed'`,
} as const;

function titled(words: string, language: string): Prisma.Sql {
  return Prisma.sql`s.session_id IN (SELECT t.session_id FROM search_text t WHERE t.kind = 'title' AND t.tenant_id = s.tenant_id
    AND t.words @@ websearch_to_tsquery(${language}::regconfig, ${words}::text))`;
}

/** One session's row; also while it is imported. */
export function session(tenantId: string, sessionId: string): Prisma.Sql {
  return Prisma.sql`SELECT ${COLUMNS} FROM ${TABLES} WHERE s.session_id = ${sessionId}::uuid AND s.tenant_id = ${tenantId}::uuid`;
}

/** A user's sessions that have changed since a time, oldest change first. */
export function changedSessions(tenantId: string, userId: string, since: string, limit: number): Prisma.Sql {
  return Prisma.sql`SELECT ${COLUMNS} FROM ${TABLES}
    WHERE s.tenant_id = ${tenantId}::uuid AND s.user_id = ${userId}::uuid AND s.archived IN (false, true) AND s.updated_at >= ${since}::timestamptz AND s.status <> 'importing'
    ORDER BY s.updated_at, s.session_id LIMIT ${limit}::bigint`;
}

export interface HitRow {
  readonly session_id: string;
  readonly message_id: string;
  readonly title: string | null;
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
export function hits(tenantId: string, userId: string | null, words: string, language: string, limit: number, last: ListPlace | null): Prisma.Sql {
  const owner = userId === null ? `'\u0001t${tenantId}'` : `'\u0001u${userId}'`;
  const query = Prisma.sql`websearch_to_tsquery(${language}::regconfig, ${words}::text)`;
  return Prisma.sql`SELECT h.session_id, h.message_id, h.title, h.archived, h.user_id, h.kind, h.recorded_at,
      ts_headline(${language}::regconfig, replace(h.text, '<', ${LESS_THAN}), ${query}, ${HEADLINE}) AS snippet
    FROM (SELECT t.session_id, t.message_id, s.title, s.archived, t.user_id, t.kind, t.recorded_at, t.text FROM search_text t JOIN session s ON s.session_id = t.session_id
      WHERE t.tenant_id = ${tenantId}::uuid ${userId === null ? Prisma.empty : Prisma.sql`AND t.user_id = ${userId}::uuid`}
      AND t.words @@ (${query} && ${owner}::tsquery) AND numnode(${query}) > 0 AND t.is_current AND s.status <> 'importing'
      ${last === null ? Prisma.empty : Prisma.sql`AND (t.recorded_at, t.message_id) < (${last.at}::timestamptz, ${last.id}::uuid)`}
      ORDER BY t.recorded_at DESC, t.message_id DESC LIMIT ${limit}::bigint) h
    ORDER BY h.recorded_at DESC, h.message_id DESC`;
}

export interface UserRow {
  readonly user_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly sessions: bigint;
  readonly last_active_at: Date | null;
}

/** Users after `cursor` in the order of their ids. */
export function usersOf(tenantId: string, limit: number, cursor: string | null): Prisma.Sql {
  return Prisma.sql`SELECT u.user_id, u.name, u.created_at, s.sessions, s.last_active_at
    FROM app_user u, LATERAL (SELECT count(*) AS sessions, max(s.updated_at) AS last_active_at FROM session s
      WHERE s.tenant_id = u.tenant_id AND s.user_id = u.user_id AND s.status <> 'importing') s
    WHERE u.tenant_id = ${tenantId}::uuid ${cursor === null ? Prisma.empty : Prisma.sql`AND u.user_id > ${cursor}::uuid`}
    ORDER BY u.user_id LIMIT ${limit}::bigint`;
}
