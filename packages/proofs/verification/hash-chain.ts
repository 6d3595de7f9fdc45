import { ErasedEvents, type ErasureFault } from '../../protocol/events/erased-events.js';
import type { LogFault } from '../../protocol/events/tampered.js';
import { Chain, type HexDigest } from './chain.js';
import type { ChainRow } from './chain-row.js';

/** Recomputes the hash chain of one session, and compares its erasures: a check inside the database could be replaced together with the data. */
export class HashChain {
  readonly #chain: Chain;
  #count = 0;
  #firstLink: LogFault | null = null;
  readonly #erased = new ErasedEvents();

  constructor(digest: HexDigest, tenantId: string, sessionId: string) {
    this.#chain = new Chain(digest, tenantId, sessionId);
  }

  /** Events added so far. */
  get count(): number {
    return this.#count;
  }

  /** The first event that is missing, was altered, was added outside append_events, or does not agree with what the log says about its erasure. */
  get firstFault(): LogFault | null {
    const erasure = this.#erased.firstFault();
    return erasure && (!this.#firstLink || erasure.seq < this.#firstLink.seq) ? { seq: erasure.seq, kind: 'erasure' } : this.#firstLink;
  }

  /** What is wrong with the first event that was erased, or should be. `covered`: the last event that is proven. */
  erasureFault(covered?: number): ErasureFault | null {
    return this.#erased.firstFault(covered);
  }

  /** The first event that is missing or was altered, among those added so far; erasures need the whole log. */
  get firstInvalidLink(): number | null {
    return this.#firstLink?.seq ?? null;
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
  add(row: ChainRow | null): void {
    this.#count += 1;
    const kind = this.#chain.add(row);
    if (kind !== null && kind !== 'erasure') this.#firstLink ??= { seq: this.#count, kind };
    if (row && row.data !== null) this.#erased.add({ ...row, data: row.data });
  }
}
