import type { Random } from './random.js';

/** Latency and loss between processes and services. */
export class Network {
  faulty = false;

  constructor(private readonly random: Random) {}

  /** One way, milliseconds. */
  latency(): number {
    if (this.faulty && this.random.chance(0.01)) return this.random.between(100, 2_000);
    return this.random.next() * 3;
  }

  loses(): boolean {
    return this.faulty && this.random.chance(0.004);
  }
}
