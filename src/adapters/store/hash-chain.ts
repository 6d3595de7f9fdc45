import { createHash } from 'node:crypto';
import type { LogFault } from '../../core/session/tampered.js';
import { ErasedEvents, type ErasureFault } from '../../core/session/erased-events.js';
import { Chain } from './chain.js';
import type { LogRow } from './log-row.js';

/**
 * Recomputes the hash chain of one session in this process: a check inside the database could be replaced together with the data. The format is that of
 * prisma/functions/chain_hash.sql.
 */
export class HashChain {
  readonly #chain: Chain;
  #count = 0;
  #firstFault: LogFault | null = null;
  readonly #erased = new ErasedEvents();

  constructor(tenantId: string, sessionId: string) {
    this.#chain = new Chain(tenantId, sessionId);
  }

  /** Events added so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * The position in the log of the first event that is missing, was altered, was added outside append_events, or does not agree with what the log says about its erasure.
   */
  get firstInvalidSeq(): number | null {
    return this.firstFault?.seq ?? null;
  }

  /** The same, with what is wrong with it. */
  get firstFault(): LogFault | null {
    const erasure = this.#erased.firstFault();
    return erasure && (!this.#firstFault || erasure.seq < this.#firstFault.seq) ? { seq: erasure.seq, kind: 'erasure' } : this.#firstFault;
  }

  /** What is wrong with the first event that was erased, or should be. `covered`: the last event that is proven. */
  erasureFault(covered?: number): ErasureFault | null {
    return this.#erased.firstFault(covered);
  }

  /** The first event that is missing or was altered, among those added so far; erasures need the whole log. */
  get firstInvalidLink(): number | null {
    return this.#firstFault?.seq ?? null;
  }

  /** Events without content so far. */
  get erased(): number {
    return this.#erased.count;
  }

  /** The stored hash of the last event, hexadecimal. */
  get headHash(): string {
    return this.#chain.place.hash;
  }

  /** Rows in the order of seq. Null: what is stored there is no row of a log. */
  add(row: LogRow | null): void {
    this.#count += 1;
    const kind = this.#chain.add(row);
    if (kind !== null) this.#firstFault ??= { seq: this.#count, kind };
    if (row) this.#erased.add(row);
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
