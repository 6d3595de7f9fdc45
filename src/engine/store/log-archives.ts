import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { DomainError } from '../../../packages/protocol/errors.js';
import { logTampered } from '../../../packages/protocol/events/tampered.js';
import type { Encryption, StoredKey } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import { type ObjectStorage, StorageError } from '../../platform/blobs/object-storage.js';
import { digestOf, objectName } from '../../platform/blobs/postgres-blobs.js';
import { INTEND } from '../../platform/blobs/statements.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import type { Archives } from './postgres-event-log.js';
import type { OnRefusal } from './refusals.js';

const [zip, unzip] = [promisify(gzip), promisify(gunzip)];

/** Called after each one; `damaged`: what is archived is not what was recorded. */
export type OnArchive = (operation: 'archive' | 'restore', outcome: 'completed' | 'refused' | 'damaged') => void;

export interface ArchiveOptions {
  readonly orphanMs: number;
  readonly onArchive?: OnArchive;
  readonly onRefusal?: OnRefusal;
}

interface Row {
  readonly object: string;
  readonly object_bytes: string;
  readonly content_bytes: string;
  readonly content_digest: Buffer;
  readonly data_key: string | null;
  readonly key_id: string | null;
  readonly wrapped: Buffer | null;
}

/** How often an archive is looked for that another process brings back, or makes, at the same time. */
const ROUNDS = 5;

/**
 * Logs of cold sessions in object storage, each one object: its events as `log_text` writes them, compressed, and encrypted with a key of its own where content is. The database compares what it is given with the
 * digest that it made of the rows that it removed: the storage, and this process, can lose a log, but not change one.
 */
export class LogArchives implements Archives {
  readonly #restoring = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly objects: ObjectStorage | null,
    private readonly encryption: Encryption,
    private readonly options: ArchiveOptions,
  ) {}

  /** Reads of one log at the same time wait for the same object. */
  restore(tenantId: string, sessionId: string): Promise<void> {
    const name = `${tenantId}/${sessionId}`;
    const running = this.#restoring.get(name) ?? this.#restore(tenantId, sessionId).finally(() => this.#restoring.delete(name));
    this.#restoring.set(name, running);
    return running;
  }

  /** False: the session is not cold any more, was archived by another process, or did not come back unchanged from the storage; it is where it was. */
  async archive(tenantId: string, sessionId: string, idleMs: number): Promise<boolean> {
    const { objects } = this;
    if (objects === null) throw new StorageError('not_configured');
    const [log] = await this.#query<{ text: string | null }>(tenantId, Prisma.sql`SELECT log_text(${tenantId}::uuid, ${sessionId}::uuid) AS text`);
    if (!log?.text) return false;
    const { bytes, key } = await this.#encoded(sessionId, Buffer.from(log.text));
    const object = randomUUID();
    // The name is stored before the object is, so that what a killed process has put is removed.
    await this.database.inTenant(tenantId, (client) => client.$executeRawUnsafe(INTEND, tenantId, object, this.options.orphanMs));
    await objects.put(objectName(tenantId, object), bytes, await digestOf(bytes));
    const back = await objects.get(objectName(tenantId, object), bytes.length);
    const content = back && (await this.#decoded(sessionId, back, key, Buffer.byteLength(log.text)));
    const [answer] = content
      ? await this.#query<{ archived: boolean }>(
          tenantId,
          Prisma.sql`SELECT archive_log(${tenantId}::uuid, ${sessionId}::uuid, ${idleMs}::float8, ${object}::uuid, ${bytes.length}::bigint, ${await digestOf(content)}::bytea,
            ${key?.id ?? null}::uuid, ${key?.keyId ?? null}::text, ${key ? Buffer.from(key.wrapped) : null}::bytea) AS archived`,
        )
      : [];
    if (!answer?.archived) {
      // What was put is of no use. An archive that a repeated statement does not find cold any more names its object, which has no such row then.
      await this.database.inTenant(
        tenantId,
        (client) =>
          client.$executeRaw`UPDATE object_removal SET due_at = now() WHERE tenant_id = ${tenantId}::uuid AND object = ${object}::uuid AND NOT removing`,
      );
    }
    this.options.onArchive?.('archive', answer?.archived ? 'completed' : 'refused');
    return answer?.archived === true;
  }

  async #restore(tenantId: string, sessionId: string): Promise<void> {
    let damaged: string | null = null;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const [row] = await this.#query<Row>(tenantId, stored(tenantId, sessionId));
      if (!row) return; // it is back
      if (row.object === damaged) break; // no other process has brought it back meanwhile
      const content = await this.#content(tenantId, sessionId, row);
      // The database compares it, too; a text that it cannot take would be another error.
      const [answer] =
        content && row.content_digest.equals(await digestOf(content))
          ? await this.#query<{ outcome: string }>(
              tenantId,
              Prisma.sql`SELECT restore_log(${tenantId}::uuid, ${sessionId}::uuid, ${row.object}::uuid, ${content.toString()}::text) AS outcome`,
            )
          : [];
      if (answer?.outcome === 'restored') return this.options.onArchive?.('restore', 'completed');
      if (answer?.outcome !== 'current') damaged = row.object;
    }
    this.options.onArchive?.('restore', 'damaged');
    const error = logTampered(sessionId, { seq: 1, kind: 'archive' });
    this.options.onRefusal?.(error);
    throw error;
  }

  /** Null: the object is gone, or was changed. */
  async #content(tenantId: string, sessionId: string, row: Row): Promise<Buffer | null> {
    if (this.objects === null) throw new StorageError('not_configured');
    const bytes = await this.objects.get(objectName(tenantId, row.object), Number(row.object_bytes));
    if (bytes === null || bytes.length !== Number(row.object_bytes)) return null;
    const { data_key: id, key_id: keyId, wrapped } = row;
    if (id === null) return this.#decoded(sessionId, bytes, null, Number(row.content_bytes));
    if (keyId === null || wrapped === null) {
      throw new DomainError('key_unavailable', 'The log is archived and encrypted, and its data key is no longer stored.', [], { keyId: id });
    }
    return this.#decoded(sessionId, bytes, { id, keyId, wrapped }, Number(row.content_bytes));
  }

  async #encoded(sessionId: string, content: Buffer): Promise<{ readonly bytes: Uint8Array; readonly key: StoredKey | null }> {
    const zipped = await zip(content);
    if (!this.encryption.isOn) return { bytes: zipped, key: null };
    const { key, stored } = await this.encryption.create(randomUUID());
    return { bytes: await key.encryptLarge(zipped, contextOf(sessionId)), key: stored };
  }

  /** Null: it was altered. `length`: of the content, at most. */
  async #decoded(sessionId: string, bytes: Uint8Array, key: StoredKey | null, length: number): Promise<Buffer | null> {
    const zipped = key === null ? bytes : await (await this.encryption.unwrap(key)).openLarge(bytes, contextOf(sessionId));
    if (key !== null) this.encryption.drop(key.id); // used once
    return zipped === null ? null : unzip(zipped, { maxOutputLength: length }).catch(() => null);
  }

  #query<Answer extends object>(tenantId: string, statement: Prisma.Sql): Promise<readonly Answer[]> {
    return this.database.inTenant(tenantId, (_, prepared) => prepared.query<Answer>(statement));
  }
}

const contextOf = (sessionId: string): string => `archive ${sessionId}`;

const stored = (tenantId: string, sessionId: string): Prisma.Sql => Prisma.sql`
  SELECT a.object::text AS object, a.object_bytes, a.content_bytes, a.content_digest, a.data_key::text AS data_key, k.key_id, k.wrapped
  FROM log_archive a LEFT JOIN data_key k ON k.tenant_id = a.tenant_id AND k.id = a.data_key
  WHERE a.tenant_id = ${tenantId}::uuid AND a.session_id = ${sessionId}::uuid AND a.object IS NOT NULL`;
