import { Logger } from '@nestjs/common';
import { probe, rest, restLaws, REST_MS } from './at-rest.js';
import { remainingWork, repeatedRuns, violations } from './checks.js';
import { SimulatedClient } from './client.js';
import { helperViolations } from './helper-laws.js';
import { watchWaiting } from './conserving.js';
import { type Activity, injectFaults, repeated, restartProcesses, skewClocks } from './faults.js';
import { readSessions } from './readers.js';
import { type Scenario, scenarioOf } from './scenario.js';
import { useVirtualTimers } from './virtual-timers.js';
import { World } from './world.js';

export interface SimulationResult {
  readonly turns: number;
  readonly events: number;
  readonly faults: number;
  /** Virtual milliseconds. */
  readonly durationMs: number;
  readonly violations: readonly string[];
}

/** One run: clients and what happens to the processes at the same time, then rest, then the checks. A function of its seed. */
export async function simulate({ seed, ...given }: Partial<Scenario> & { readonly seed: number }): Promise<SimulationResult> {
  Logger.overrideLogger(false);
  const world = new World(seed, scenarioOf(seed, given));
  const { scheduler, scenario } = world;
  const restore = useVirtualTimers(scheduler);
  const started = scheduler.now;
  const first = Array.from({ length: scenario.sessions * scenario.tenants }, (_, index) => new SimulatedClient(world, scenario.promptsPerSession, index));
  const clients = (): readonly SimulatedClient[] => first.flatMap((client) => [client, ...client.forks]);
  let probes: readonly SimulatedClient[] = [];
  const main = async (): Promise<void> => {
    for (let index = 0; index < scenario.processes; index += 1) await world.startProcess();
    const readers = readSessions(world, clients);
    const activities: Activity[] = [
      skewClocks(world),
      ...(scenario.faults ? [injectFaults(world)] : [watchWaiting(world)]),
      ...(scenario.restarts ? [restartProcesses(world)] : []),
    ];
    const answers = repeated(
      world,
      () => 700,
      async () => {
        for (const client of clients()) await client.answerCalls();
      },
    );
    await Promise.all(first.map((client) => client.run()));
    for (const activity of activities) await activity.stop();
    await rest(world, clients());
    await answers.stop();
    await readers.stop();
    probes = await probe(world);
    await restLaws(world, clients());
  };
  const found: string[] = [];
  try {
    await scheduler.run(main(), 4 * REST_MS, () => `${world.faults} faults; last error: ${String(world.failures.at(-1))}`);
  } catch (error) {
    found.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    restore();
  }
  let events = 0;
  let turns = 0;
  for (const client of [...clients(), ...probes]) {
    const state = await client.state();
    events += state.version;
    turns += state.turns.size;
    found.push(...(await violations(world, client, seed % 4 === 0)));
  }
  found.push(...world.violations, ...remainingWork(world), ...repeatedRuns(world), ...(await helperViolations(world)));
  return { turns, events, faults: world.faults, durationMs: scheduler.now - started, violations: found };
}
