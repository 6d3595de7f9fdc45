import { Logger } from '@nestjs/common';
import { remainingWork, violations } from './checks.js';
import { SimulatedClient } from './client.js';
import { useVirtualTimers } from './virtual-timers.js';
import { World } from './world.js';

export interface SimulationOptions {
  readonly seed: number;
  readonly sessions?: number;
  readonly promptsPerSession?: number;
  readonly processes?: number;
  /** The setting HANDOVER of all processes; by default the seed decides: a third of all seeds have `queue`. */
  readonly handOver?: 'direct' | 'queue';
}

export interface SimulationResult {
  readonly turns: number;
  readonly events: number;
  readonly faults: number;
  /** Virtual milliseconds. */
  readonly durationMs: number;
  readonly violations: readonly string[];
}

/** How long all sessions may take to come to rest once the faults have ended. */
const SETTLE_MS = 30 * 60_000;

/** One run: clients and faults at the same time, then rest, then the checks. A function of its seed. */
export async function simulate({
  seed,
  sessions = 4,
  promptsPerSession = 6,
  processes = 3,
  handOver = seed % 3 === 0 ? 'queue' : 'direct',
}: SimulationOptions): Promise<SimulationResult> {
  Logger.overrideLogger(false);
  const world = new World(seed, handOver);
  const restore = useVirtualTimers(world.scheduler);
  const started = world.scheduler.now;
  const clients = Array.from({ length: sessions }, () => new SimulatedClient(world, promptsPerSession));
  const main = async (): Promise<void> => {
    for (let index = 0; index < processes; index += 1) await world.startProcess();
    world.network.faulty = true;
    const faults = injectFaults(world);
    const answers = answerCalls(world, clients);
    await Promise.all(clients.map((client) => client.run()));
    await faults.stop();
    await atRest(world, clients);
    await answers.stop();
  };
  const found: string[] = [];
  try {
    await world.scheduler.run(main(), 4 * SETTLE_MS, () => `${world.faults} faults; last error: ${String(world.failures.at(-1))}`);
  } catch (error) {
    found.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    restore();
  }
  let events = 0;
  let turns = 0;
  for (const client of clients) {
    const state = await client.state();
    events += state.version;
    turns += state.turns.size;
    found.push(...(await violations(world, client, seed % 4 === 0)));
  }
  found.push(...world.violations, ...remainingWork(world));
  return { turns, events, faults: world.faults, durationMs: world.scheduler.now - started, violations: found };
}

interface Activity {
  stop(): Promise<void>;
}

function injectFaults(world: World): Activity {
  const random = world.random.fork();
  let stopped = false;
  const loop = (async () => {
    while (!stopped) {
      await world.scheduler.sleep(random.between(200, 3_000));
      if (stopped) break;
      world.faults += 1;
      const alive = world.processes.filter(({ status }) => status !== 'dead');
      if (alive.length === 0) continue;
      const victim = random.pick(alive);
      const roll = random.next();
      if (roll < 0.3) {
        victim.crash();
        const delay = random.between(50, 5_000);
        world.scheduler.after(delay, () => void world.startProcess());
      } else if (roll < 0.65) {
        victim.freeze();
        world.scheduler.after(random.chance(0.5) ? random.between(100, 3_000) : random.between(6_000, 40_000), () => victim.thaw());
      } else if (roll < 0.85) victim.skewMs = random.pick([0, -600_000, 30_000, 600_000, 7_200_000, -7_200_000]);
      else if (roll < 0.92) world.queue.loseEverything();
      else world.network.faulty = !world.network.faulty;
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await loop;
      world.network.faulty = false;
      for (const process of world.processes) process.thaw();
      await world.startProcess();
    },
  };
}

function answerCalls(world: World, clients: readonly SimulatedClient[]): Activity {
  let stopped = false;
  const loop = (async () => {
    while (!stopped) {
      await world.scheduler.sleep(700);
      for (const client of clients) await client.answerCalls();
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await loop;
    },
  };
}

async function atRest(world: World, clients: readonly SimulatedClient[]): Promise<void> {
  const deadline = world.scheduler.now + SETTLE_MS;
  for (;;) {
    const states = await Promise.all(clients.map((client) => client.state()));
    const busy = states.filter(({ turn, queue }) => turn !== null || queue.length > 0);
    if (busy.length === 0 && world.queue.entries.size === 0) return;
    if (world.scheduler.now > deadline) {
      const turns = busy.map(({ turn, status }) => `${turn?.turnId} ${status}`);
      throw new Error(`stuck: turns ${turns.join(', ')} and jobs ${[...world.queue.entries.keys()].join(', ')} do not end`);
    }
    await world.scheduler.sleep(500);
  }
}
