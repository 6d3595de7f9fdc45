import { Logger } from '@nestjs/common';
import { WORKER_ID } from '../../src/engine/commands/execute.js';
import { SimulatedClient } from './client.js';
import type { SimulatedProcess } from './process.js';
import { type Scenario, scenarioOf } from './scenario.js';
import { useVirtualTimers } from './virtual-timers.js';
import { World } from './world.js';

const PLAIN: Partial<Scenario> = { faults: false, dispatch: 'direct', roles: 'all', tenants: 1, perTenant: 40, concurrency: 8, restarts: false };

/** One thing that happens at one moment, in a world where nothing else goes wrong. */
export class Scene {
  readonly world: World;

  constructor(
    private readonly seed: number,
    given: Partial<Scenario> = {},
  ) {
    this.world = new World(seed, scenarioOf(seed, { ...PLAIN, ...given }));
  }

  /** Rejects when `act` does not end within ten minutes of virtual time. */
  async plays(act: () => Promise<void>): Promise<void> {
    Logger.overrideLogger(false);
    const restore = useVirtualTimers(this.world.scheduler);
    try {
      await this.world.scheduler.run(act(), 600_000, () => 'the scene does not end');
    } finally {
      restore();
    }
  }

  /** Processes that have run for a time: any phase of their polls. */
  async processes(...roles: readonly SimulatedProcess['role'][]): Promise<readonly SimulatedProcess[]> {
    const started: SimulatedProcess[] = [];
    for (const role of roles) started.push(await this.world.startProcess(role));
    await this.world.scheduler.sleep(1_000 + 137 * this.seed);
    return started;
  }

  async client(): Promise<SimulatedClient> {
    const client = new SimulatedClient(this.world, 1, 0);
    await client.create();
    return client;
  }

  /** Milliseconds from the start of the session's first turn to the first step of a worker. */
  async untilFirstStep({ tenantId, sessionId }: SimulatedClient): Promise<number> {
    const events = await this.world.store.events.load(tenantId, sessionId);
    const start = events.find(({ type }) => type === 'turn.started')!;
    const step = events.find(({ seq, actor }) => seq > start.seq && actor.id === WORKER_ID)!;
    return Date.parse(step.time) - Date.parse(start.time);
  }
}
