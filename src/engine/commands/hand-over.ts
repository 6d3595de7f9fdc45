import { Injectable } from '@nestjs/common';
import type { HandOverTerms, Job, TurnClaim } from '../../ports/index.js';

/** Room for one turn in this process, reserved during an append. One of its methods is called when the append has ended; later calls have no effect. */
export interface Room {
  readonly terms: HandOverTerms;
  /** The append handed the turn over: it runs here from now on. */
  take(job: Job, claim: TurnClaim): void;
  /** The append did not hand a turn over. */
  free(): void;
  /** The append failed without an answer; it may have handed the turn over. */
  freeUnclear(job: Job): void;
}

/** Lets a process run the turns that its own appends start, without the queue. Empty until the worker provides room. */
@Injectable()
export class HandOver {
  #reserve: () => Room | null = () => null;

  /** `reserve`: called once per append that starts a turn. */
  provide(reserve: () => Room | null): void {
    this.#reserve = reserve;
  }

  /** Null: this process has no room for another turn. */
  reserve(): Room | null {
    return this.#reserve();
  }
}
