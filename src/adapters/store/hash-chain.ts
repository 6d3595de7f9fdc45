import { createHash } from 'node:crypto';
import { ErasedEvents, type ErasureFault } from '../../core/session/erased-events.js';

/** A stored event as chain_hash reads it; the texts as stored, byte for byte. */
export interface ChainRow {
  readonly seq: bigint;
  readonly tenant_id: string;
  readonly event_id: string;
  readonly command_id: string;
  readonly type: string;
  readonly schema_version: number;
  readonly actor: string;
  readonly data: string;
  /** `recorded_at` in microseconds since 2000-01-01, the epoch of Postgres. */
  readonly recorded_us: bigint;
  /** Hexadecimal, as the next two. Null: the content was erased. */
  readonly salt: string | null;
  readonly digest: string;
  readonly hash: string;
}

/** The first link of a chain covers the name of its format. */
const FORMAT = Buffer.from('verbatim chain 1');

/**
 * Recomputes the hash chain of one session in this process: a check inside the database could be replaced together with the data. The format is that of
 * prisma/functions/chain_hash.sql.
 */
export class HashChain {
  readonly #session: Buffer;
  #previous: Buffer;
  #count = 0;
  #firstInvalidSeq: number | null = null;
  readonly #erased = new ErasedEvents();

  constructor(
    private readonly tenantId: string,
    sessionId: string,
  ) {
    this.#session = uuidBytes(sessionId);
    this.#previous = sha256(Buffer.concat([FORMAT, this.#session]));
  }

  /** Events added so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * The position in the log of the first event that is missing, was altered, was added outside append_events, or does not agree with what the log says about its erasure.
   */
  get firstInvalidSeq(): number | null {
    const found = [this.#firstInvalidSeq, this.#erased.firstFault()?.seq ?? null].filter((seq) => seq !== null);
    return found.length === 0 ? null : Math.min(...found);
  }

  /** What is wrong with the first event that was erased, or should be. `covered`: the last event that is proven. */
  erasureFault(covered?: number): ErasureFault | null {
    return this.#erased.firstFault(covered);
  }

  /** The first event that is missing or was altered, among those added so far; erasures need the whole log. */
  get firstInvalidLink(): number | null {
    return this.#firstInvalidSeq;
  }

  /** Events without content so far. */
  get erased(): number {
    return this.#erased.count;
  }

  /** The stored hash of the last event, hexadecimal. */
  get headHash(): string {
    return this.#previous.toString('hex');
  }

  /** Rows in the order of seq. */
  add(row: ChainRow): void {
    this.#count += 1;
    const digest = Buffer.from(row.digest, 'hex');
    const link = sha256(
      Buffer.concat([
        this.#previous,
        this.#session,
        int64(row.seq),
        uuidBytes(row.tenant_id),
        uuidBytes(row.event_id),
        uuidBytes(row.command_id),
        int32(row.schema_version),
        int64(row.recorded_us),
        digest,
        sha256(row.actor),
        Buffer.from(row.type),
      ]),
    );
    const stored = Buffer.from(row.hash, 'hex');
    const valid =
      Number(row.seq) === this.#count &&
      row.tenant_id === this.tenantId &&
      (row.salt === null || isCommitmentTo(Buffer.from(row.data), Buffer.from(row.salt, 'hex'), digest)) &&
      stored.equals(link);
    if (!valid) this.#firstInvalidSeq ??= this.#count;
    this.#erased.add(row);
    this.#previous = stored; // so that one altered event does not make the later ones invalid
  }
}

/** Of a salt; a longer one could take a part of the content's place. */
const SALT_BYTES = 16;

/** Whether `digest` is the SHA-256 of `salt` and `content`. */
export function isCommitmentTo(content: Uint8Array, salt: Uint8Array, digest: Uint8Array): boolean {
  return salt.length === SALT_BYTES && sha256(Buffer.concat([salt, content])).equals(digest);
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}

function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
