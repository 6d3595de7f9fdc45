import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DomainError } from '../../../packages/protocol/errors.js';
import { AlteredBlob, type Blob, type BlobHead, Blobs, type Encryption } from '../../ports/index.js';
import { clientOptions, type ConnectionOptions } from '../postgres/connection/client-options.js';
import { withRetry } from '../postgres/connection/retry.js';
import type { TenantConfig } from '../postgres/connection/tenant-query.js';
import * as statements from './statements.js';

/** A process that does one thing at a time uses one connection; the second replaces a broken one. */
const CONNECTIONS = 2;

export interface BlobOptions extends ConnectionOptions {
  /** Few, so that large files leave the connections of the event store free. */
  readonly poolSize?: number;
}

/** Bytes per read: a longer answer would hold the event loop. */
const CHUNK_BYTES = 512 * 1024;

/**
 * Images and documents in Postgres. Uses the driver directly: Prisma's client converts bytes to base64 and back, which holds the event loop ten times as long.
 */
export class PostgresBlobs extends Blobs {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;

  constructor(
    options: BlobOptions,
    private readonly encryption: Encryption,
  ) {
    super();
    this.#timeoutMs = options.timeoutMs;
    this.#pool = new pg.Pool({ ...clientOptions(options), max: options.poolSize ?? CONNECTIONS });
    this.#pool.on('error', () => {}); // the pool replaces an idle connection that breaks
  }

  override async put(tenantId: string, sessionId: string, mediaType: string, content: Uint8Array): Promise<BlobHead> {
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', content));
    const head = { sha256: digest.toString('hex'), bytes: content.byteLength };
    // Bytes that the tenant already has are not sent again.
    const [known] = await unlessErased(() => this.#query<{ media_type: string }>(statements.USE_KNOWN, [tenantId, sessionId, digest]), []);
    if (known) return { ...head, mediaType: known.media_type };
    const { statement, values } = this.encryption.isOn
      ? await this.#encrypted(content, head.sha256)
      : { statement: statements.STORE, values: [bufferOf(content)] };
    const store = () => this.#query(statement, [tenantId, sessionId, digest, mediaType, ...values]);
    if ((await unlessErased(store, null)) === null) await store();
    return { ...head, mediaType };
  }

  override async get(tenantId: string, sessionId: string, sha256s: readonly string[]): Promise<ReadonlyMap<string, Blob>> {
    const digests = sha256s.filter((name) => SHA256.test(name)).map((name) => Buffer.from(name, 'hex'));
    if (digests.length === 0) return new Map();
    const heads = await this.#query<HeadRow>(statements.HEADS, [tenantId, sessionId, digests]);
    const blobs = await Promise.all(
      heads.map(async (head): Promise<Blob> => {
        const content = await this.#read(tenantId, head);
        return { sha256: head.sha256.toString('hex'), mediaType: head.media_type, bytes: content.length, content };
      }),
    );
    return new Map(blobs.map((blob) => [blob.sha256, blob]));
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
  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Each file has a separate key, because sessions share files. */
  async #encrypted(content: Uint8Array, sha256: string): Promise<{ readonly statement: string; readonly values: readonly unknown[] }> {
    const { key, stored } = await this.encryption.create(randomUUID());
    const bytes = bufferOf(await key.encryptLarge(content, contextOf(sha256)));
    return { statement: statements.STORE_ENCRYPTED, values: [bytes, stored.id, stored.keyId, bufferOf(stored.wrapped)] };
  }

  async #read(tenantId: string, head: HeadRow): Promise<Uint8Array> {
    const { sha256, stored, data_key: id, key_id: keyId, wrapped } = head;
    const bytes = Buffer.allocUnsafe(stored);
    for (let at = 0; at < stored; at += CHUNK_BYTES) {
      const [row] = await this.#query<{ chunk: Buffer }>(statements.CHUNK, [tenantId, sha256, at + 1, CHUNK_BYTES]);
      if (!row || row.chunk.copy(bytes, at) < Math.min(CHUNK_BYTES, stored - at)) throw altered(sha256);
    }
    if (id === null) return this.#verified(sha256, bytes);
    if (keyId === null || wrapped === null) {
      throw new DomainError('key_unavailable', 'The file is encrypted, and its data key is no longer stored.', [], { keyId: id });
    }
    const opened = await (await this.encryption.unwrap({ id, keyId, wrapped })).openLarge(bytes, contextOf(sha256.toString('hex')));
    if (!opened) throw altered(sha256);
    return this.#verified(sha256, opened);
  }

  async #verified(sha256: Buffer, content: Uint8Array): Promise<Uint8Array> {
    const digest = await crypto.subtle.digest('SHA-256', content as Uint8Array<ArrayBuffer>);
    if (!Buffer.from(digest).equals(sha256)) throw altered(sha256);
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
  readonly stored: number;
  /** Null: not encrypted. */
  readonly data_key: string | null;
  readonly key_id: string | null;
  readonly wrapped: Buffer | null;
}

const contextOf = (sha256: string): string => `file ${sha256}`;

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
    `The stored bytes of blob ${sha256.toString('hex')} do not match their SHA-256: the row was changed or damaged. Restore it from a backup.`,
  );
}
