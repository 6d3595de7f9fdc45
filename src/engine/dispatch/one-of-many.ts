import type { LiveBus } from '../../ports/index.js';

/** Rounds that a process leaves to each one that would lead before it, before it does one itself: the others may be connected but unable to work. */
const ROUNDS_LEFT = 5;

/** Decides, round by round, whether this process does periodic work that one process of all has to do. More than one may do it: what must not be done twice has a lease. */
export class OneOfMany {
  #left = 0;

  constructor(private readonly live: Pick<LiveBus, 'rank'>) {}

  /** Whether to do this round. */
  takes(): boolean {
    this.#left = this.#left >= ROUNDS_LEFT * this.live.rank ? 0 : this.#left + 1;
    return this.#left === 0;
  }
}
