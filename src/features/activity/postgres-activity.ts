import { skeletonData } from '../../../packages/protocol/events/skeleton.js';
import { EncryptedContent } from '../../engine/store/encrypted-content.js';
import { eventContext } from '../../engine/store/log-row.js';
import { Prisma } from '../../generated/prisma/client.js';
import { decodeCursor, encodeCursor, type ListPlace } from '../../platform/postgres/store/cursor.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { Activity, type ActivityEntry, type ActivityKind, type ActivityPage, type DataKey, type Encryption } from '../../ports/index.js';

/** Each source of the list: types of events, and tables. */
const SOURCES: Readonly<Record<ActivityKind, readonly string[]>> = {
  erasures: ['content.erased', 'user_erasure'],
  holds: ['hold.placed', 'hold.released'],
  roles: ['session.granted', 'session.grant_revoked'],
  links: ['link_created', 'link_revoked'],
  emergency_access: ['glass.broken'],
};
const ALL = Object.values(SOURCES).flat();

interface Row {
  readonly id: string;
  readonly at: Date;
  readonly source: string;
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly by_user: string | null;
  readonly actor: string | null;
  readonly data: string | null;
  /** What is left of an erased event is stored instead of its data. */
  readonly is_erased: boolean;
  readonly seq: bigint | null;
}

/** What of the data of an event is listed. */
interface Details {
  readonly principal?: string;
  readonly role?: string;
  readonly until?: string;
  readonly scope?: 'session' | 'message';
  readonly erasureId?: string;
  readonly messages?: number | null;
}

export class PostgresActivity extends Activity {
  readonly #encrypted: EncryptedContent;

  constructor(
    private readonly database: Database,
    encryption: Encryption,
  ) {
    super();
    this.#encrypted = new EncryptedContent(database, encryption);
  }

  override async list(tenantId: string, kind: ActivityKind | null, limit: number, cursor: string | null): Promise<ActivityPage> {
    const list = ['activity', tenantId, kind];
    const before = cursor === null ? null : decodeCursor(cursor, list);
    const sources = kind === null ? ALL : SOURCES[kind];
    const rows = await this.database.inTenant(tenantId, (client) => client.$queryRaw<Row[]>(newestActivity(tenantId, sources, limit + 1, before)));
    const page = rows.slice(0, limit);
    const end = page.at(-1);
    // A key that is gone belongs to a session that was erased since the statement.
    const keys = await this.#encrypted.keys(tenantId, [
      ...new Set(page.flatMap(({ data, session_id: id }) => (id !== null && data?.startsWith('"') ? [id] : []))),
    ]);
    return {
      data: page.map((row) => entryOf(row, detailsOf(row, keys))),
      nextCursor: rows.length > limit && end ? encodeCursor({ at: end.at.toISOString(), id: end.id }, list) : null,
    };
  }
}

function detailsOf({ data, session_id: id, seq, source, is_erased: isErased }: Row, keys: ReadonlyMap<string, DataKey>): Details {
  if (data === null || id === null) return {};
  if (isErased) return (skeletonData(source, JSON.parse(data)) as Details | null) ?? {};
  if (!data.startsWith('"')) return JSON.parse(data) as Details;
  const content = keys.get(id)?.open(Buffer.from(data.slice(1, -1), 'base64'), eventContext(id, Number(seq)));
  return content ? (JSON.parse(Buffer.from(content).toString()) as Details) : {};
}

function entryOf(row: Row, { principal, role, until, scope, erasureId, messages }: Details): ActivityEntry {
  const actor = row.actor === null ? null : (JSON.parse(row.actor) as { readonly kind: string; readonly id: string });
  return {
    id: row.id,
    at: row.at.toISOString(),
    by: actor?.kind === 'user' ? actor.id : row.by_user,
    act: row.source === 'content.erased' ? (scope === 'session' ? 'session_erased' : 'messages_erased') : ACT_OF[row.source]!,
    sessionId: row.session_id,
    userId: row.user_id,
    principal: principal === undefined || principal === 'group:' ? null : principal, // the name of a group is erased
    role: role ?? null,
    messages: messages ?? null,
    until: until ?? null,
    erasureId: erasureId ?? null,
  };
}

const ACT_OF: Readonly<Record<string, ActivityEntry['act']>> = {
  user_erasure: 'user_content_erased',
  'hold.placed': 'hold_placed',
  'hold.released': 'hold_released',
  'session.granted': 'role_given',
  'session.grant_revoked': 'role_taken',
  link_created: 'link_created',
  link_revoked: 'link_revoked',
  'glass.broken': 'emergency_access',
};

/** The newest of each source by its own index, and of these the newest: as many rows of each are read as the page may have. The data is looked at for the rows of the page only. */
export function newestActivity(tenantId: string, sources: readonly string[], limit: number, before: ListPlace | null): Prisma.Sql {
  const newest = Prisma.join(
    sources.map((source) => {
      const { columns, from, at, id } = sourceOf(source, tenantId);
      const earlier = before === null ? Prisma.empty : Prisma.sql`AND (${at}, ${id}) < (${before.at}::timestamptz, ${before.id}::uuid)`;
      return Prisma.sql`(SELECT ${id} AS id, ${at} AS at, ${Prisma.raw(`'${source}'`)} AS source, ${columns} FROM ${from} ${earlier} ORDER BY ${at} DESC, ${id} DESC LIMIT ${limit}::bigint)`;
    }),
    ' UNION ALL ',
  );
  return Prisma.sql`SELECT a.id::text AS id, a.at, a.source, a.session_id::text AS session_id, a.user_id::text AS user_id, a.by_user::text AS by_user, a.actor::text AS actor, a.seq,
      CASE WHEN a.source = 'content.erased'
        THEN json_build_object('scope', a.data->'scope', 'erasureId', a.data->'erasureId', 'messages', json_array_length(a.data->'messages'))::text
        ELSE a.data::text END AS data, a.source <> 'content.erased' AND a.data IS NOT NULL AND a.salt IS NULL AS is_erased
    FROM (SELECT * FROM (${newest}) one ORDER BY at DESC, id DESC LIMIT ${limit}::bigint) a ORDER BY a.at DESC, a.id DESC`;
}

interface Source {
  /** The session, whose content it is, who did it, and of events what they are read by. */
  readonly columns: Prisma.Sql;
  readonly from: Prisma.Sql;
  readonly at: Prisma.Sql;
  readonly id: Prisma.Sql;
}

/** The names of types stand in the statement, and the collation of the index, by which the planner knows the rows for those of the index. */
function sourceOf(source: string, tenantId: string): Source {
  switch (source) {
    case 'user_erasure':
      return {
        columns: Prisma.sql`NULL::uuid AS session_id, u.user_id, u.requested_by AS by_user, ${NO_EVENT}`,
        from: Prisma.sql`user_erasure u WHERE u.tenant_id = ${tenantId}::uuid`,
        at: Prisma.sql`u.started_at`,
        id: Prisma.sql`u.erasure_id`,
      };
    case 'link_created':
      return linksOf(tenantId, Prisma.sql`l.created_by`, Prisma.sql`l.created_at`);
    case 'link_revoked':
      return linksOf(tenantId, Prisma.sql`l.revoked_by`, Prisma.sql`l.revoked_at`);
    default:
      return {
        columns: Prisma.sql`e.session_id, NULL::uuid AS user_id, NULL::uuid AS by_user, e.actor, e.data, e.salt, e.seq`,
        from: Prisma.sql`event e WHERE e.tenant_id = ${tenantId}::uuid AND e.type COLLATE "C" = ${Prisma.raw(`'${source}'`)}`,
        at: Prisma.sql`e.recorded_at`,
        id: Prisma.sql`e.event_id`,
      };
  }
}

/** Links of which something was done, by whom and when. */
function linksOf(tenantId: string, by: Prisma.Sql, at: Prisma.Sql): Source {
  return {
    columns: Prisma.sql`l.session_id, NULL::uuid AS user_id, ${by} AS by_user, ${NO_EVENT}`,
    from: Prisma.sql`session_link l WHERE l.tenant_id = ${tenantId}::uuid AND ${at} IS NOT NULL`,
    at,
    id: Prisma.sql`l.link_id`,
  };
}

const NO_EVENT = Prisma.sql`NULL::json AS actor, NULL::json AS data, NULL::bytea AS salt, NULL::bigint AS seq`;
