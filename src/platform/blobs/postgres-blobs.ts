import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { DomainError } from '../../../packages/protocol/errors.js';
import { AlteredBlob, type Blob, type BlobHead, Blobs, type Encryption, type StoredKey } from '../../ports/index.js';
import { type ObjectStorage, StorageError } from './object-storage.js';
import { batched } from '../async/batched.js';
import { clientOptions, type ConnectionOptions } from '../postgres/connection/client-options.js';
import { withRetry } from '../postgres/connection/retry.js';
import type { TenantConfig } from '../postgres/connection/tenant-query.js';
import * as statements from './statements.js';

/** A process that does one thing at a time uses one connection; the second replaces a broken one. */
const CONNECTIONS = 2;

export interface BlobOptions extends ConnectionOptions {
  /** Few, so that large files leave the connections of the event store free. */
  readonly poolSize?: number;
  /** Where the bytes of new files lie; absent: in the database. */
  readonly objects?: ObjectStorage | null;
  /** An object that no file names after this time is left by a process that has ended. Longer than any put takes. */
  readonly orphanMs?: number;
}

/** Bytes per read: a longer answer would hold the event loop. */
const CHUNK_BYTES = 512 * 1024;

/** A file of so few bytes is read together with others, and hashed at once: handing it to another thread would take longer. */
const SMALL_BYTES = 16 * 1024;

/** What a row of an answer has besides. */
const ROW_BYTES = 64;

const ORPHAN_MS = 3_600_000;

/** How often a file is looked for whose bytes are moved, or erased and stored again, while it is read or stored. */
const ROUNDS = 3;

/**
 * Images and documents: who may read which in Postgres, their bytes there or in object storage. Uses the driver directly: Prisma's client converts bytes to base64 and back, which holds the event loop ten times as long.
 */
export class PostgresBlobs extends Blobs {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;
  readonly #objects: ObjectStorage | null;
  readonly #orphanMs: number;

  constructor(
    options: BlobOptions,
    private readonly encryption: Encryption,
  ) {
    super();
    this.#timeoutMs = options.timeoutMs;
    this.#objects = options.objects ?? null;
    this.#orphanMs = options.orphanMs ?? ORPHAN_MS;
    this.#pool = new pg.Pool({ ...clientOptions(options), max: options.poolSize ?? CONNECTIONS });
    this.#pool.on('error', () => {}); // the pool replaces an idle connection that breaks
  }

  override async put(tenantId: string, sessionId: string, mediaType: string, content: Uint8Array): Promise<BlobHead> {
    const digest = await digestOf(content);
    const head = { sha256: digest.toString('hex'), bytes: content.byteLength };
    // Bytes that the tenant already has are not sent again.
    const [known] = await unlessErased(() => this.#query<{ media_type: string }>(statements.USE_KNOWN, [tenantId, sessionId, digest]), []);
    if (known) return { ...head, mediaType: known.media_type };
    const stored = await this.#encoded(content, head.sha256);
    const keys = stored.key === null ? [null, null, null] : [stored.key.id, stored.key.keyId, bufferOf(stored.key.wrapped)];
    for (let round = 1; ; round += 1) {
      const place = await this.#place(tenantId, stored.bytes);
      // Null: an erasure, or a worker that removes orphans, has come between; what this one has put is an orphan then.
      const row = [tenantId, sessionId, digest, mediaType, ...place, stored.bytes.length, ...keys];
      const isStored = (await unlessErased(() => this.#query(statements.STORE, row as [string]), null)) !== null;
      if (isStored) return { ...head, mediaType };
      if (round === ROUNDS) throw new StorageError('busy');
    }
  }

  override async get(tenantId: string, sessionId: string, sha256s: readonly string[]): Promise<ReadonlyMap<string, Blob>> {
    let digests: readonly Buffer[] = sha256s.filter((name) => SHA256.test(name)).map((name) => Buffer.from(name, 'hex'));
    const blobs = new Map<string, Blob>();
    for (let round = 1; digests.length > 0; round += 1) {
      const heads = await this.#query<HeadRow>(statements.HEADS, [tenantId, sessionId, digests]);
      const small = await this.#small(tenantId, heads);
      const read = await Promise.all(heads.map(async (head) => ({ head, content: await this.#read(tenantId, head, small) })));
      for (const { head, content } of read) {
        const sha256 = head.sha256.toString('hex');
        if (content) blobs.set(sha256, { sha256, mediaType: head.media_type, bytes: content.length, content });
        else if (round === ROUNDS) throw altered(head.sha256);
      }
      digests = read.filter(({ content }) => content === null).map(({ head }) => head.sha256);
    }
    return blobs;
  }

  override async size(tenantId: string, sessionId: string): Promise<number> {
    const [row] = await this.#query<{ bytes: string }>(statements.SIZE, [tenantId, sessionId]);
    return Number(row?.bytes ?? 0);
  }

  override async list(tenantId: string, sessionId: string): Promise<readonly string[]> {
    const rows = await this.#query<{ sha256: string }>(statements.LIST, [tenantId, sessionId]);
    return rows.map(({ sha256 }) => sha256);
  }

  override async share(tenantId: string, fromSessionId: string, toSessionId: string): Promise<void> {
    const share = () => this.#query(statements.SHARE, [tenantId, fromSessionId, toSessionId]);
    while ((await unlessErased(share, null)) === null); // the next one finds what the erasure has left
  }

  /** Waits for running statements, then closes every connection. */
  async close(): Promise<void> {
    await this.#pool.end();
    this.#objects?.close();
  }

  override async reachable(): Promise<void> {
    await this.#objects?.check();
  }

  /** What is stored of the content. Each file has a separate key, because sessions share files. */
  async #encoded(content: Uint8Array, sha256: string): Promise<{ readonly bytes: Uint8Array; readonly key: StoredKey | null }> {
    if (!this.encryption.isOn) return { bytes: content, key: null };
    const { key, stored } = await this.encryption.create(randomUUID());
    return { bytes: await key.encryptLarge(content, contextOf(sha256)), key: stored };
  }

  /** The bytes for the row, or the object where they are now: its name is stored before it is, so that it is removed if no file comes to name it. */
  async #place(tenantId: string, bytes: Uint8Array): Promise<readonly [Buffer | null, string | null]> {
    if (this.#objects === null) return [bufferOf(bytes), null];
    const object = randomUUID();
    await this.#query(statements.INTEND, [tenantId, object, this.#orphanMs]);
    await this.#objects.put(objectName(tenantId, object), bytes, await digestOf(bytes));
    return [null, object];
  }

  /** Null: the bytes are no longer where they were when the head was read. */
  async #read(tenantId: string, head: HeadRow, small: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array | null> {
    const { sha256, data_key: id, key_id: keyId, wrapped } = head;
    const known = small.get(sha256.toString('hex'));
    const bytes = known ?? (head.object === null ? await this.#chunks(tenantId, head) : await this.#object(tenantId, head.object, head));
    if (bytes === null) return null;
    if (id === null) return this.#verified(sha256, bytes);
    if (keyId === null || wrapped === null) {
      throw new DomainError('key_unavailable', 'The file is encrypted, and its data key is no longer stored.', [], { keyId: id });
    }
    const opened = await (await this.encryption.unwrap({ id, keyId, wrapped })).openLarge(bytes, contextOf(sha256.toString('hex')));
    if (!opened) throw altered(sha256);
    return this.#verified(sha256, opened);
  }

  /** The bytes of rows that are small, by digest: many in one answer, which has no more bytes than a chunk. */
  async #small(tenantId: string, heads: readonly HeadRow[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const small = heads.filter(({ object, stored }) => object === null && Number(stored) <= SMALL_BYTES);
    if (small.length < 2) return found;
    for (const batch of batched(small, ({ stored }) => ROW_BYTES + Number(stored), CHUNK_BYTES)) {
      const rows = await this.#query<{ sha256: Buffer; bytes: Buffer | null }>(statements.SMALL, [tenantId, batch.map(({ sha256 }) => sha256)]);
      const expected = new Map(batch.map(({ sha256, stored }) => [sha256.toString('hex'), Number(stored)]));
      for (const { sha256, bytes } of rows) {
        const name = sha256.toString('hex');
        if (bytes && bytes.length === expected.get(name)) found.set(name, bytes);
      }
    }
    return found;
  }

  async #chunks(tenantId: string, { sha256, stored }: HeadRow): Promise<Uint8Array | null> {
    const bytes = Buffer.allocUnsafe(Number(stored));
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const [row] = await this.#query<{ chunk: Buffer | null }>(statements.CHUNK, [tenantId, sha256, at + 1, CHUNK_BYTES]);
      if (!row?.chunk) return null;
      if (row.chunk.copy(bytes, at) < Math.min(CHUNK_BYTES, bytes.length - at)) throw altered(sha256);
    }
    return bytes;
  }

  async #object(tenantId: string, object: string, { sha256, stored }: HeadRow): Promise<Uint8Array | null> {
    if (this.#objects === null) throw new StorageError('not_configured');
    const bytes = await this.#objects.get(objectName(tenantId, object), Number(stored));
    if (bytes && bytes.length !== Number(stored)) throw altered(sha256);
    return bytes;
  }

  async #verified(sha256: Buffer, content: Uint8Array): Promise<Uint8Array> {
    if (!(await digestOf(content)).equals(sha256)) throw altered(sha256);
    return content;
  }

  /** For the tenant that is the first value. Every statement is idempotent, so it is retried. */
  #query<Row extends pg.QueryResultRow>(text: string, values: readonly [tenant: string, ...others: unknown[]]): Promise<readonly Row[]> {
    const statement: TenantConfig = { text, values: [...values], tenant: values[0] };
    return withRetry(this.#timeoutMs, async () => (await this.#pool.query<Row>(statement)).rows);
  }
}

interface HeadRow {
  readonly sha256: Buffer;
  readonly media_type: string;
  /** Bytes as stored. */
  readonly stored: string;
  /** Null: they are in the row. */
  readonly object: string | null;
  /** Null: not encrypted. */
  readonly data_key: string | null;
  readonly key_id: string | null;
  readonly wrapped: Buffer | null;
}

const contextOf = (sha256: string): string => `file ${sha256}`;

/** The name in the object storage: tells nothing of the content, and is never used again. */
export const objectName = (tenantId: string, object: string): string => `${tenantId}/${object}`;

/** SHA-256, computed outside of the event loop unless there are few bytes. */
export const digestOf = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length <= SMALL_BYTES
    ? createHash('sha256').update(bytes).digest()
    : Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const FOREIGN_KEY_VIOLATION = '23503';

/** `otherwise`: an erasure has deleted the blob since the statement found it. */
async function unlessErased<T, Otherwise>(statement: () => Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await statement();
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === FOREIGN_KEY_VIOLATION) return otherwise;
    throw error;
  }
}

const SHA256 = /^[0-9a-f]{64}$/;

/** Stored bytes are never returned under a hash that is not theirs. */
function altered(sha256: Buffer): Error {
  return new AlteredBlob(
    `The stored bytes of blob ${sha256.toString('hex')} do not match their SHA-256, or are gone: they were changed or damaged where they are stored. Restore it from a backup.`,
  );
}
