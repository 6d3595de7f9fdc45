import { createHash } from 'node:crypto';
import pg from 'pg';
import { type Blob, type BlobHead, Blobs } from '../../core/ports.js';
import { clientOptions, type ConnectionOptions } from '../postgres/connection/client-options.js';
import { withRetry } from '../postgres/connection/retry.js';
import * as statements from './statements.js';

/** Few, so that large files leave the connections of the event store free. */
const CONNECTIONS = 4;
/** Bytes per read: a longer answer would hold the event loop. */
const CHUNK_BYTES = 512 * 1024;

/**
 * Images and documents in Postgres. Uses the driver directly: Prisma's client converts bytes to base64 and back, which holds the event loop ten times as long.
 */
export class PostgresBlobs extends Blobs {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;

  constructor(options: ConnectionOptions) {
    super();
    this.#timeoutMs = options.timeoutMs;
    this.#pool = new pg.Pool({ ...clientOptions(options), max: CONNECTIONS });
    this.#pool.on('error', () => {}); // the pool replaces an idle connection that breaks
  }

  override async put(tenantId: string, sessionId: string, mediaType: string, content: Uint8Array): Promise<BlobHead> {
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', content));
    const head = { sha256: digest.toString('hex'), bytes: content.byteLength };
    // Bytes that the tenant already has are not sent again.
    const [known] = await unlessErased(() => this.#query<{ media_type: string }>(statements.USE_KNOWN, [tenantId, sessionId, digest]), []);
    if (known) return { ...head, mediaType: known.media_type };
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    const store = () => this.#query(statements.STORE, [tenantId, sessionId, digest, mediaType, bytes]);
    if ((await unlessErased(store, null)) === null) await store();
    return { ...head, mediaType };
  }

  override async get(tenantId: string, sessionId: string, sha256s: readonly string[]): Promise<ReadonlyMap<string, Blob>> {
    const digests = sha256s.filter((name) => SHA256.test(name)).map((name) => Buffer.from(name, 'hex'));
    if (digests.length === 0) return new Map();
    const heads = await this.#query<{ sha256: Buffer; media_type: string; bytes: number }>(statements.HEADS, [tenantId, sessionId, digests]);
    const blobs = await Promise.all(
      heads.map(async ({ sha256, media_type: mediaType, bytes }): Promise<Blob> => ({
        sha256: sha256.toString('hex'),
        mediaType,
        bytes,
        content: await this.#read(tenantId, sha256, bytes),
      })),
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
    await this.#query(statements.SHARE, [tenantId, fromSessionId, toSessionId]);
  }

  /** Waits for running statements, then closes every connection. */
  close(): Promise<void> {
    return this.#pool.end();
  }

  async #read(tenantId: string, sha256: Buffer, bytes: number): Promise<Uint8Array> {
    const content = Buffer.allocUnsafe(bytes);
    const hash = createHash('sha256');
    for (let at = 0; at < bytes; at += CHUNK_BYTES) {
      const [row] = await this.#query<{ chunk: Buffer }>(statements.CHUNK, [tenantId, sha256, at + 1, CHUNK_BYTES]);
      if (row) hash.update(row.chunk);
      if (!row || row.chunk.copy(content, at) < Math.min(CHUNK_BYTES, bytes - at)) throw altered(sha256);
    }
    if (!hash.digest().equals(sha256)) throw altered(sha256);
    return content;
  }

  /** Every statement is idempotent, so it is retried. */
  #query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return withRetry(this.#timeoutMs, async () => (await this.#pool.query<Row>(text, [...values])).rows);
  }
}

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
  return new Error(`The stored bytes of blob ${sha256.toString('hex')} do not match their SHA-256: the row was changed or damaged. Restore it from a backup.`);
}
