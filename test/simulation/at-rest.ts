import { SimulatedClient } from './client.js';
import { forgotten } from './erased-texts.js';
import { SIMULATED_SETTINGS } from './settings.js';
import type { World } from './world.js';

const { OUTBOX_POLL_MS, SESSION_CACHE_IDLE_MS, STALLED_AFTER_MS } = SIMULATED_SETTINGS;

/** Statements of a process that has nothing to do: polls of the outbox, searches for orphans, expired waits and open helpers, the comparison with erasures. */
const IDLE_MS = 30_000;

/** Looks for orphans, for expired waits and for open helpers, each every STALLED_AFTER_MS. */
const RARE_LOOKS = 3;

/** One process does what one of all has to do; the others look now and then whether it does, and each of the rare looks of one may fall into the time that is counted. */
const MOST_OF_OTHERS =
  2 + Math.ceil(IDLE_MS / OUTBOX_POLL_MS / 5) + RARE_LOOKS * Math.ceil(IDLE_MS / STALLED_AFTER_MS / 5) + Math.ceil(IDLE_MS / (SESSION_CACHE_IDLE_MS / 4));

/** What must hold when all sessions have come to rest: every room is free again, nothing erased is in memory, and who has nothing to do does nothing. */
export async function restLaws(world: World, clients: readonly SimulatedClient[]): Promise<void> {
  const { scheduler, violations } = world;
  await scheduler.sleep(SESSION_CACHE_IDLE_MS / 2); // the caches have been compared with the log
  const processes = world.processes.filter(({ status, isStopping }) => status === 'up' && !isStopping);
  await forgotten(world, clients);
  for (const process of processes) {
    if (process.role !== 'api' && process.queue.capacity !== world.scenario.concurrency)
      violations.push(`${process.name} takes ${process.queue.capacity} jobs of the queue at a time, not ${world.scenario.concurrency}`);
    if (process.live.subscriptions !== process.subscriptionsAtStart)
      violations.push(`${process.name} has ${process.live.subscriptions} subscriptions and began with ${process.subscriptionsAtStart}`);
  }
  const before = processes.map(({ statements }) => statements);
  await scheduler.sleep(IDLE_MS);
  const most = Math.ceil((IDLE_MS / OUTBOX_POLL_MS + RARE_LOOKS * (IDLE_MS / STALLED_AFTER_MS) + IDLE_MS / (SESSION_CACHE_IDLE_MS / 4)) * 1.5);
  for (const [index, process] of processes.entries()) {
    const made = process.statements - before[index]!;
    const limit = process.live.rank === 0 ? most : MOST_OF_OTHERS;
    if (made > limit) violations.push(`${process.name} made ${made} statements in ${IDLE_MS} ms with nothing to do`);
  }
}

/** Every process takes as many turns at once as it has room for: what an earlier turn occupied is free again. */
export async function probe(world: World): Promise<readonly SimulatedClient[]> {
  const { dispatch, perTenant, concurrency, tenants } = world.scenario;
  const clients: SimulatedClient[] = [];
  for (const process of world.up) {
    const places = Math.min(concurrency, perTenant * tenants, 4);
    const probes = Array.from({ length: places }, (_, index) => new SimulatedClient(world, 0, index));
    clients.push(...probes);
    await Promise.all(probes.map((client) => client.create(process)));
    await world.scheduler.sleep(100);
    const took = world.handedOver;
    await Promise.all(probes.map((client) => client.probe(process)));
    if (dispatch === 'direct' && process.role === 'all' && world.handedOver - took < places)
      world.violations.push(`${process.name} took ${world.handedOver - took} of ${places} turns although it had room for ${concurrency}`);
    await rest(world, probes);
  }
  return clients;
}

/** How long all sessions may take to come to rest. */
export const REST_MS = 30 * 60_000;

export async function rest(world: World, clients: readonly SimulatedClient[]): Promise<void> {
  const deadline = world.scheduler.now + REST_MS;
  for (;;) {
    const states = await Promise.all(clients.map((client) => client.state()));
    const busy = states.filter(({ turn, queue }) => turn !== null || queue.length > 0);
    const open = world.store.all().filter(({ isOpen }) => isOpen);
    if (busy.length === 0 && open.length === 0 && world.queue.entries.size === 0) return;
    if (world.scheduler.now > deadline) {
      const turns = busy.map(({ turn, status }) => `${turn?.turnId} ${status}`);
      throw new Error(
        `stuck: turns ${turns.join(', ')}, helpers ${open.map(({ sessionId }) => sessionId).join(', ')} and jobs ${[...world.queue.entries.keys()].join(', ')} do not end`,
      );
    }
    for (const client of clients) await client.answerCalls();
    await world.scheduler.sleep(500);
  }
}
