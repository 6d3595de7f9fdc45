import type { LiveBus } from '../../ports/index.js';

/** Rounds that a process leaves to the one that leads, before it does one itself: the other may be connected but unable to work. */
const ROUNDS_LEFT = 5;

/** Decides, round by round, whether this process does periodic work that one process of all has to do. More than one may do it: what must not be done twice has a lease. */
export class OneOfMany {
  #left = 0;

  constructor(private readonly live: Pick<LiveBus, 'leads'>) {}

  /** Whether to do this round. */
  takes(): boolean {
    this.#left = this.live.leads || this.#left === ROUNDS_LEFT ? 0 : this.#left + 1;
    return this.#left === 0;
  }
}
