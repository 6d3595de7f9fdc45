import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DomainError } from '../../core/errors.js';
import { type Blob, type BlobHead, Blobs } from '../../core/ports.js';
import { classifyError } from './lost-connection.js';
import * as statements from './statements.js';

export interface PostgresBlobsOptions {
  /** The login of the role `verbatim_app`. */
  readonly url: string;
  /** Milliseconds that one statement, the wait for a connection, and an outage may each last before the caller is told. */
  readonly timeoutMs: number;
  /** How the server's own views name this process. */
  readonly applicationName: string;
}

/** Few, so that large files do not take the connections that everything else needs. */
const CONNECTIONS = 4;
/** Read at once: what takes longer to come in would hold up everybody else. */
const PIECE_BYTES = 512 * 1024;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/**
 * Images and documents in Postgres. Through the driver itself: Prisma's client turns bytes into base64 and back several times on the way, which holds the event
 * loop up ten times as long.
 */
export class PostgresBlobs extends Blobs {
  readonly #pool: pg.Pool;
  readonly #timeoutMs: number;

  constructor({ url, timeoutMs, applicationName }: PostgresBlobsOptions) {
    super();
    this.#timeoutMs = timeoutMs;
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: applicationName,
      max: CONNECTIONS,
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: timeoutMs,
    });
    this.#pool.on('error', () => {}); // an idle connection that breaks is replaced when the next one is needed
  }

  override async put(tenantId: string, sessionId: string, mediaType: string, content: Uint8Array): Promise<BlobHead> {
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', content));
    const head = { sha256: digest.toString('hex'), bytes: content.byteLength };
    // What is known already need not be sent.
    const [known] = await this.#run<{ media_type: string }>(statements.USE_KNOWN, [tenantId, sessionId, digest]);
    if (known) return { ...head, mediaType: known.media_type };
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    await this.#run(statements.KEEP, [tenantId, sessionId, digest, mediaType, bytes]);
    return { ...head, mediaType };
  }

  override async get(tenantId: string, sessionId: string, sha256s: readonly string[]): Promise<ReadonlyMap<string, Blob>> {
    const digests = sha256s.filter((name) => SHA256.test(name)).map((name) => Buffer.from(name, 'hex'));
    if (digests.length === 0) return new Map();
    const heads = await this.#run<{ sha256: Buffer; media_type: string; bytes: number }>(statements.HEADS, [tenantId, sessionId, digests]);
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
    const [row] = await this.#run<{ bytes: string }>(statements.SIZE, [tenantId, sessionId]);
    return Number(row?.bytes ?? 0);
  }

  override async share(tenantId: string, fromSessionId: string, toSessionId: string): Promise<void> {
    await this.#run(statements.SHARE, [tenantId, fromSessionId, toSessionId]);
  }

  /** Waits for running statements, then closes every connection. */
  close(): Promise<void> {
    return this.#pool.end();
  }

  async #read(tenantId: string, sha256: Buffer, bytes: number): Promise<Uint8Array> {
    const content = Buffer.allocUnsafe(bytes);
    for (let at = 0; at < bytes; at += PIECE_BYTES) {
      const [row] = await this.#run<{ piece: Buffer }>(statements.PIECE, [tenantId, sha256, at + 1, PIECE_BYTES]);
      if (!row || row.piece.copy(content, at) < Math.min(PIECE_BYTES, bytes - at))
        throw new Error(`the stored bytes ${sha256.toString('hex')} are shorter than they were`);
    }
    return content;
  }

  /** All statements may be repeated, so what was lost with its connection is asked again. Throws a DomainError `unavailable` when the database stays away. */
  async #run<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const deadline = Date.now() + this.#timeoutMs;
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        return (await this.#pool.query<Row>(text, [...values])).rows;
      } catch (error) {
        const trouble = classifyError(error);
        if (trouble === null) throw error;
        if (trouble === 'slow' || Date.now() + wait > deadline) throw unavailable(error);
        await pause(wait);
      }
    }
  }
}

const SHA256 = /^[0-9a-f]{64}$/;

function unavailable(cause: unknown): DomainError {
  const refusal = new DomainError('unavailable', 'The database does not answer in time; try again in a moment.');
  refusal.cause = cause; // for the log, never for the client
  return refusal;
}
