import { Injectable } from '@nestjs/common';
import type { DispatchTerms, Job, TurnClaim } from '../../ports/index.js';

/** Room for one turn in this process, acquired during an append. One of its methods is called when the append has ended; later calls have no effect. */
export interface TurnSlot {
  readonly terms: DispatchTerms;
  /** The append handed the turn over: it runs here from now on. */
  start(job: Job, claim: TurnClaim): void;
  /** The append did not hand a turn over. */
  release(): void;
  /** The append failed without an answer; it may have handed the turn over. */
  releaseUnclear(job: Job): void;
}

/** Lets a process run the turns that its own appends start, without the queue. Empty until the worker provides room. */
@Injectable()
export class TurnDispatch {
  #acquire: () => TurnSlot | null = () => null;

  /** `acquire`: called once per append that starts a turn. */
  provide(acquire: () => TurnSlot | null): void {
    this.#acquire = acquire;
  }

  /** Null: this process has no room for another turn. */
  acquire(): TurnSlot | null {
    return this.#acquire();
  }
}
