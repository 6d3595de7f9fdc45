import { Injectable } from '@nestjs/common';
import type { DispatchTerms, Job, TurnClaim } from '../../ports/index.js';

/** TurnSlot for one turn in this process, reserved during an append. One of its methods is called when the append has ended; later calls have no effect. */
export interface TurnSlot {
  readonly terms: DispatchTerms;
  /** The append handed the turn over: it runs here from now on. */
  take(job: Job, claim: TurnClaim): void;
  /** The append did not hand a turn over. */
  free(): void;
  /** The append failed without an answer; it may have handed the turn over. */
  freeUnclear(job: Job): void;
}

/** Lets a process run the turns that its own appends start, without the queue. Empty until the worker provides room. */
@Injectable()
export class TurnDispatch {
  #reserve: () => TurnSlot | null = () => null;

  /** `reserve`: called once per append that starts a turn. */
  provide(reserve: () => TurnSlot | null): void {
    this.#reserve = reserve;
  }

  /** Null: this process has no room for another turn. */
  reserve(): TurnSlot | null {
    return this.#reserve();
  }
}
