import { randomUUID } from 'node:crypto';
import { type LinkInfo, Links } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { isUuid } from '../../platform/postgres/store/row.js';
import { hashOf, newSecret, secretKey } from '../../platform/postgres/store/secrets.js';

interface LinkRow {
  readonly link_id: string;
  readonly message_id: string | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly uses: bigint;
}

const VALID = Prisma.sql`revoked_at IS NULL AND expires_at > now()`;

export class PostgresLinks extends Links {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async create(
    { tenantId, sessionId, at, createdBy, expiresAt }: Parameters<Links['create']>[0],
    limit: number,
  ): Promise<(LinkInfo & { readonly secret: string }) | null> {
    const id = randomUUID();
    const secret = newSecret('vbl', tenantId);
    // A retry after a lost connection finds its own row.
    const [row] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<LinkRow[]>`
        INSERT INTO session_link (link_id, token_hash, tenant_id, session_id, message_id, created_by, expires_at)
        SELECT ${id}::uuid, ${hashOf(secret)}, ${tenantId}::uuid, ${sessionId}::uuid, ${at}::uuid, ${createdBy}::uuid, ${expiresAt}::timestamptz
        WHERE (SELECT count(*) FROM session_link WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid AND ${VALID} AND link_id <> ${id}::uuid) < ${limit}::int
        ON CONFLICT (tenant_id, link_id) DO UPDATE SET uses = session_link.uses RETURNING *`,
    );
    return row ? { ...infoOf(row), secret } : null;
  }

  override async list(tenantId: string, sessionId: string): Promise<readonly LinkInfo[]> {
    const rows = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<LinkRow[]>`
        SELECT * FROM session_link WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid AND ${VALID} ORDER BY created_at DESC, link_id`,
    );
    return rows.map(infoOf);
  }

  override async revoke(tenantId: string, sessionId: string, linkId: string, by: string): Promise<boolean> {
    if (!isUuid(linkId)) return false;
    const revoked = await this.#database.inTenant(
      tenantId,
      (client) => client.$executeRaw`UPDATE session_link SET revoked_at = now(), revoked_by = ${by}::uuid
        WHERE tenant_id = ${tenantId}::uuid AND session_id = ${sessionId}::uuid AND link_id = ${linkId}::uuid AND ${VALID}`,
    );
    return revoked > 0;
  }

  override async redeem(secret: string): Promise<{ tenantId: string; linkId: string; sessionId: string; at: string | null } | null> {
    const key = secretKey('vbl', secret);
    if (!key) return null;
    const { tenantId, hash } = key;
    const [row] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<readonly { link_id: string; session_id: string; message_id: string | null }[]>`
        UPDATE session_link SET uses = uses + 1 WHERE tenant_id = ${tenantId}::uuid AND token_hash = ${hash} AND ${VALID} RETURNING link_id, session_id, message_id`,
    );
    return row ? { tenantId, linkId: row.link_id, sessionId: row.session_id, at: row.message_id } : null;
  }
}

function infoOf(row: LinkRow): LinkInfo {
  return {
    id: row.link_id,
    at: row.message_id,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    uses: Number(row.uses),
  };
}
