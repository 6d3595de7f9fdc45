import { createHash } from 'node:crypto';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Append, DataKey, Encryption, StoredKey } from '../../ports/index.js';
import { hasContent } from '../../../packages/protocol/events/skeleton.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { TenantReads } from '../../platform/postgres/store/tenant-connections.js';
import { eventContext } from './log-row.js';
import type { EventColumns } from '../../platform/postgres/store/row.js';
import { encryptedText } from './encrypted-text.js';

/** An append in the form in which it is stored. */
export interface EncryptedAppend {
  readonly append: Append;
  readonly columns: EventColumns;
  /** Encrypts a text of the session list. */
  readonly text: (text: string) => string;
  /** Stores a new key in the commit of the append. */
  readonly effects: readonly Prisma.Sql[];
  /** To be called when it was appended. */
  readonly appended: () => void;
}

/**
 * Encrypts the content of appends, and finds the keys of what was encrypted. Salt and digest are those of the content, so that chains, proofs and exports do not depend on
 * the encryption.
 */
export class EncryptedContent {
  constructor(
    private readonly database: TenantReads,
    private readonly encryption: Encryption,
  ) {}

  /** Null: encryption is off, or there is nothing to encrypt. */
  async encrypted(append: Append, columns: EventColumns): Promise<EncryptedAppend | null> {
    if (!this.encryption.isOn) return null;
    const content = append.events.map((event, index) => hasContent(event, columns.data[index]!));
    const { title } = append.summary;
    const previews = [append.projection?.firstText, append.projection?.lastText];
    if (title === null && !content.includes(true) && previews.every((text) => !text)) return null;
    const sessionId = append.sessionId.toLowerCase();
    // A session that must not exist yet has no stored key: it is stored with the first append.
    const isNew = append.expectedVersion === 0;
    const known = isNew ? this.encryption.known(sessionId) : (await this.keys(append.tenantId, [sessionId])).get(sessionId);
    const made = known ? null : await this.encryption.create(sessionId);
    const key = known ?? made!.key;
    const text = (value: string): string => encryptedText(key, sessionId, value);
    return {
      append: title === null ? append : { ...append, summary: { ...append.summary, title: text(title) } },
      columns: encryptedColumns(key, append, columns, content),
      text,
      effects: made ? [keepKey(append, made.stored)] : [],
      appended: () => made && this.encryption.keep(sessionId, key),
    };
  }

  /** The keys of these sessions of a tenant, without those that are neither known nor stored. */
  async keys(tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    const found = new Map<string, DataKey>();
    const unknown = new Set<string>();
    for (const id of ids) {
      const key = this.encryption.known(id);
      if (key) found.set(id, key);
      else unknown.add(id);
    }
    if (unknown.size === 0) return found;
    const rows = await this.database.inTenant(tenantId, (client) => client.$queryRaw<KeyRow[]>(dataKeys(tenantId, [...unknown])));
    const keys = await Promise.all(rows.map(({ id, key_id: keyId, wrapped }) => this.encryption.unwrap({ id, keyId, wrapped })));
    for (const [index, key] of keys.entries()) found.set(rows[index]!.id, key);
    return found;
  }

  /** The session has no content any more. */
  drop(sessionId: string): void {
    this.encryption.drop(sessionId.toLowerCase());
  }

  /** Rows of a session, with its key if one of them is encrypted. Reads again when the key is gone: an erasure has replaced the content since. */
  async withKey<Row>(
    tenantId: string,
    sessionId: string,
    read: () => Promise<readonly Row[]>,
    isEncrypted: (row: Row) => boolean,
  ): Promise<{ readonly rows: readonly Row[]; readonly key: DataKey | undefined }> {
    for (let attempt = 1; ; attempt += 1) {
      const rows = await read();
      if (!rows.some(isEncrypted)) return { rows, key: undefined };
      const key = (await this.keys(tenantId, [sessionId])).get(sessionId);
      if (key) return { rows, key };
      if (attempt === 2) throw new DomainError('key_unavailable', 'The content is encrypted, and its data key is no longer stored.', [], { keyId: sessionId });
    }
  }
}

interface KeyRow {
  readonly id: string;
  readonly key_id: string;
  readonly wrapped: Uint8Array;
}

function dataKeys(tenantId: string, ids: readonly string[]): Prisma.Sql {
  return Prisma.sql`SELECT id::text, key_id, wrapped FROM data_key WHERE tenant_id = ${tenantId}::uuid AND id = ANY (${ids}::uuid[])`;
}

/** The call of keep_data_key in the select list of the append. */
function keepKey({ tenantId }: Append, { id, keyId, wrapped }: StoredKey): Prisma.Sql {
  return Prisma.sql`keep_data_key(outcome, ${tenantId}::uuid, ${id}::uuid, ${keyId}::text, ${Buffer.from(wrapped)}::bytea)`;
}

function encryptedColumns(key: DataKey, { sessionId, expectedVersion }: Append, columns: EventColumns, content: readonly boolean[]): EventColumns {
  const salts: (string | null)[] = [];
  const digests: (string | null)[] = [];
  const data = columns.data.map((text, index) => {
    if (!content[index]) {
      salts.push(null);
      digests.push(null);
      return text;
    }
    const salt = key.newSalt();
    const plain = Buffer.from(text);
    salts.push(bytesText(salt));
    digests.push(bytesText(createHash('sha256').update(key.saltFrom(salt)).update(plain).digest()));
    return `"${base64(key.encrypt(plain, eventContext(sessionId, expectedVersion + 1 + index)))}"`; // JSON: base64 needs no escapes
  });
  return { ...columns, data, salts, digests };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
/** As Postgres reads bytes. */
const bytesText = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
