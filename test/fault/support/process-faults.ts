import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../support/random.js';
import { type Deployment, LOCK_MS } from './deployment.js';
import { type Causes, signal } from './causes.js';
import type { PassingFaults } from './passing-faults.js';
import type { Place, Role } from './place.js';

export type ProcessFault =
  | 'server' // kills a process that serves requests and runs turns
  | 'api' // kills one that only serves requests
  | 'worker' // kills one that only runs turns
  | 'starting' // kills a process during its start
  | 'replace' // stops a process with SIGTERM and starts the next release, or restarts this one
  | 'freeze' // SIGSTOP for longer than a job lock
  | 'clock'; // the clock of a process jumps

/** Seconds; a clock jumps in either direction. */
const MAX_CLOCK_JUMP = 7_200;

/** Faults of the server's own processes. */
export class ProcessFaults {
  readonly causes: Causes<ProcessFault>;
  readonly #frozen = new Set<unknown>();

  constructor(
    private readonly deployment: Deployment,
    private readonly passing: PassingFaults,
    /** The main file of the next release; absent: the same build is restarted. */
    private readonly nextMain: string | undefined,
  ) {
    this.causes = {
      server: (chance) => this.#kill('all', chance),
      api: (chance) => this.#kill('api', chance),
      worker: (chance) => this.#kill('worker', chance),
      starting: (chance) => this.#killStart(chance),
      replace: (chance) => this.#replace(chance),
      freeze: (chance) => this.#freeze(this.#running(chance), chance),
      clock: async (chance) => {
        const surroundings = this.#running(chance)?.surroundings;
        await surroundings?.setClock(chance.between(-MAX_CLOCK_JUMP, MAX_CLOCK_JUMP));
        return surroundings !== undefined && surroundings !== null;
      },
    };
  }

  #running(chance: Chance): Place | undefined {
    return chance.of(this.deployment.places.filter(({ server }) => server !== null));
  }

  #kill(role: Role, chance: Chance): Promise<boolean> | boolean {
    const place = chance.of(this.deployment.places.filter((one) => one.role === role));
    return place !== undefined && this.#isSpare(place) && place.kill();
  }

  /** A start that is under way, else that of a process killed for it: late in a round nothing may ever start by itself. */
  async #killStart(chance: Chance): Promise<boolean> {
    const { places } = this.deployment;
    const place = chance.of(places.filter(({ server }) => server === null)) ?? chance.of(places.filter((one) => this.#isSpare(one)));
    if (!place) return false;
    await place.kill();
    while (place.server === null) {
      if (place.killStart()) return true;
      await pause(5);
    }
    return false;
  }

  /** Whether another process does what it does, however slow the machine is. The only process of the embedded deployment is replaced at once. */
  #isSpare({ role }: Place): boolean {
    if (this.deployment.places.length === 1) return true;
    return (['api', 'worker'] as const).every((part) => (role !== part && role !== 'all') || this.deployment.servers(part).length > 1);
  }

  /** Every second process changes between the releases. The others run the next one once it was their turn, so that every session can be read somewhere. */
  #replace(chance: Chance): boolean {
    const { places } = this.deployment;
    if (this.nextMain === undefined) return chance.of(places)!.replace(undefined);
    const place = places.find((one, index) => !isSecond(one, index) && one.build !== this.nextMain) ?? chance.of(places.filter(isSecond))!;
    return place.replace(place.build === undefined ? this.nextMain : undefined);
  }

  #freeze(place: Place | undefined, chance: Chance): boolean {
    const server = place?.server;
    if (!server || this.#frozen.has(server) || !signal(server.pid, 'SIGSTOP')) return false;
    this.#frozen.add(server);
    this.passing.endAfter(chance.between(LOCK_MS, 2 * LOCK_MS), () => {
      this.#frozen.delete(server);
      signal(server.pid, 'SIGCONT'); // unless it was killed meanwhile
    });
    return true;
  }
}

const isSecond = (_: Place, index: number): boolean => index % 2 === 1;
