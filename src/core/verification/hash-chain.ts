import { fromHex, toHex } from '../proofs/hex.js';
import { concat, equal, type Sha256 } from '../proofs/tree.js';
import { ErasedEvents, type ErasureFault } from '../session/erased-events.js';

/** A stored event as chain_hash reads it; the texts as stored, byte for byte. */
export interface ChainRow {
  readonly seq: bigint;
  readonly tenant_id: string;
  readonly event_id: string;
  readonly command_id: string;
  readonly type: string;
  readonly schema_version: number;
  readonly actor: string;
  /** Null: withheld. Its digest stands for it. */
  readonly data: string | null;
  /** `recorded_at` in microseconds since 2000-01-01, the epoch of Postgres. */
  readonly recorded_us: bigint;
  /** Hexadecimal, as the next two. Null: the content was erased, or is withheld. */
  readonly salt: string | null;
  readonly digest: string;
  readonly hash: string;
}

const utf8 = new TextEncoder();

/** The first link of a chain covers the name of its format. */
const FORMAT = utf8.encode('verbatim chain 1');

/**
 * Recomputes the hash chain of one session: a check inside the database could be replaced together with the data. The format is that of prisma/functions/chain_hash.sql.
 */
export class HashChain {
  readonly #session: Uint8Array;
  #previous: Uint8Array;
  #count = 0;
  #firstInvalidSeq: number | null = null;
  readonly #erased = new ErasedEvents();

  constructor(
    private readonly sha256: Sha256,
    private readonly tenantId: string,
    sessionId: string,
  ) {
    this.#session = fromHex(sessionId);
    this.#previous = sha256(concat([FORMAT, this.#session]));
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
    return toHex(this.#previous);
  }

  /** Rows in the order of seq. */
  add(row: ChainRow): void {
    this.#count += 1;
    const digest = fromHex(row.digest);
    const stored = fromHex(row.hash);
    const isWhole =
      Number(row.seq) === this.#count &&
      row.tenant_id === this.tenantId &&
      (row.salt === null || row.data === null || isCommitmentTo(this.sha256, utf8.encode(row.data), fromHex(row.salt), digest)) &&
      equal(stored, this.#link(row, digest));
    if (!isWhole) this.#firstInvalidSeq ??= this.#count;
    if (row.data !== null) this.#erased.add({ ...row, data: row.data });
    this.#previous = stored; // so that one altered event does not make the later ones invalid
  }

  #link(row: ChainRow, digest: Uint8Array): Uint8Array {
    return this.sha256(
      concat([
        this.#previous,
        this.#session,
        int64(row.seq),
        fromHex(row.tenant_id),
        fromHex(row.event_id),
        fromHex(row.command_id),
        int32(row.schema_version),
        int64(row.recorded_us),
        digest,
        this.sha256(utf8.encode(row.actor)),
        utf8.encode(row.type),
      ]),
    );
  }
}

/** Of a salt; a longer one could take a part of the content's place. */
const SALT_BYTES = 16;

/** Whether `digest` is the SHA-256 of `salt` and `content`. */
export function isCommitmentTo(sha256: Sha256, content: Uint8Array, salt: Uint8Array, digest: Uint8Array): boolean {
  return salt.length === SALT_BYTES && equal(sha256(concat([salt, content])), digest);
}

function int64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value);
  return bytes;
}

function int32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value);
  return bytes;
}
