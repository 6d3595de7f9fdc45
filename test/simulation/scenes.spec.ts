import { Logger } from '@nestjs/common';
import { expect, it } from '@jest/globals';
import { WORKER_ID } from '../../src/engine/commands/execute.js';
import type { Append } from '../../src/ports/index.js';
import { rest } from './at-rest.js';
import { SimulatedClient } from './client.js';
import type { ScriptedCall } from './network.js';
import { scenarioOf } from './scenario.js';
import { useVirtualTimers } from './virtual-timers.js';
import { World } from './world.js';

/** One prompt, and one message that is lost. Milliseconds from the start of its turn to its first step. */
async function untilRequested(seed: number, lost: (call: ScriptedCall, append: Append) => boolean): Promise<number> {
  Logger.overrideLogger(false);
  const world = new World(
    seed,
    scenarioOf(seed, { faults: false, handOver: 'direct', roles: 'all', tenants: 1, perTenant: 40, concurrency: 8, restarts: false }),
  );
  const restore = useVirtualTimers(world.scheduler);
  const client = new SimulatedClient(world, 1, 0);
  const scene = async (): Promise<void> => {
    for (let index = 0; index < 2; index += 1) await world.startProcess();
    await client.create();
    await world.scheduler.sleep(1_000 + 137 * seed); // in any phase of the polls
    let isOver = false;
    world.network.script = (call) => {
      const matches = !isOver && call.method === 'append' && lost(call, call.args[0] as Append);
      isOver ||= matches;
      return matches;
    };
    await client.probe(world.up[seed % 2]!);
    await rest(world, [client]);
  };
  try {
    await world.scheduler.run(scene(), 600_000, () => 'the scene does not end');
  } finally {
    restore();
  }
  const events = await world.store.events.load(client.tenantId, client.sessionId);
  const start = events.find(({ type }) => type === 'turn.started')!;
  const step = events.find(({ seq, actor }) => seq > start.seq && actor.id === WORKER_ID)!;
  return Date.parse(step.time) - Date.parse(start.time);
}

const SEEDS = [1, 2, 3, 4, 5, 6, 7];

/** A call gives up after 3 s; then the job goes through the queue. */
const LATEST_MS = 3_100;

it('a turn whose hand-over was not answered is given back at once', async () => {
  for (const seed of SEEDS) expect(await untilRequested(seed, ({ what }, { handOver }) => what === 'answer' && handOver !== null)).toBeLessThan(LATEST_MS);
});

it('a turn that fails in its process is given to another one at once', async () => {
  const isReport = ({ what }: ScriptedCall, { actor }: Append): boolean => what === 'request' && actor.id === WORKER_ID;
  for (const seed of SEEDS) expect(await untilRequested(seed, isReport)).toBeLessThan(LATEST_MS);
});
