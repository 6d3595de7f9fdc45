import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../support/random.js';
import { until } from '../../support/until.js';
import { type Causes, POSSIBLE_SECONDS } from './causes.js';
import { connectionFaults } from './connection-faults.js';
import { DatabaseFaults } from './database-faults.js';
import type { Deployment } from './deployment.js';
import type { Fault } from './fault-deck.js';
import { modelFaults } from './model-faults.js';
import { PassingFaults } from './passing-faults.js';
import { ProcessFaults } from './process-faults.js';

/** Faults of one place are injected one after the other, those of different places at the same time. */
export interface Lane {
  readonly name: string;
  readonly kinds: readonly string[];
}

/** Injects faults into a deployment and counts them. */
export class Injector {
  /** Faults by kind that have really happened: something was there to fail. */
  readonly counts = new Map<Fault, number>();
  readonly lanes: readonly Lane[];
  readonly #passing = new PassingFaults();
  readonly #causes: Causes<Fault>;

  constructor(
    private readonly deployment: Deployment,
    /** The main file of the next release; absent: the same build is restarted. */
    private readonly nextMain?: string,
  ) {
    const parts = {
      processes: new ProcessFaults(deployment, this.#passing, nextMain).causes,
      databases: new DatabaseFaults(deployment, this.#passing).causes,
      connections: connectionFaults(deployment, this.#passing),
      model: modelFaults(deployment),
    };
    this.#causes = { ...parts.processes, ...parts.databases, ...parts.connections, ...parts.model };
    this.lanes = Object.entries(parts).map(([name, causes]) => ({ name, kinds: Object.keys(causes) }));
  }

  /** Causes a fault, as soon as it is possible. One that ends by itself does so in the background. */
  async inject(fault: Fault, chance: Chance): Promise<void> {
    await until(
      `there is something for the fault "${fault}"`,
      async () => {
        if (await this.#causes[fault](chance)) return true;
        await pause(50);
        return false;
      },
      POSSIBLE_SECONDS,
    );
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    if (process.env['FAULT_TRACE'] !== undefined) process.stderr.write(`${new Date().toISOString()} ${fault}\n`);
  }

  /** Resolves when all faults have ended and every process runs. */
  async calm(): Promise<void> {
    await this.#passing.over();
    await this.deployment.whole();
    // The next release can read everything, so at the end of an upgrade it runs everywhere.
    for (const place of this.deployment.places) {
      if (this.nextMain !== undefined && place.build !== this.nextMain) place.replace(this.nextMain);
    }
    await this.deployment.whole();
  }
}
