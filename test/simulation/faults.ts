import type { World } from './world.js';

export interface Activity {
  stop(): Promise<void>;
}

/** Repeats `act` after pauses until it is stopped. */
export function repeated(world: World, pause: () => number, act: () => Promise<void> | void): Activity {
  let stopped = false;
  const loop = (async () => {
    while (!stopped) {
      await world.scheduler.sleep(pause());
      if (!stopped) await act();
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await loop;
    },
  };
}

/** Crashes, freezes, lost and late messages, and a queue that loses its contents. */
export function injectFaults(world: World): Activity {
  const random = world.random.fork();
  world.network.faulty = true;
  const faults = repeated(
    world,
    () => random.between(200, 3_000),
    () => {
      world.faults += 1;
      const alive = world.processes.filter(({ status }) => status !== 'dead');
      if (alive.length === 0) return;
      const victim = random.pick(alive);
      const roll = random.next();
      if (roll < 0.35) {
        victim.crash();
        world.scheduler.after(random.between(50, 5_000), () => void world.startProcess(victim.role));
      } else if (roll < 0.75) {
        victim.freeze();
        world.scheduler.after(random.chance(0.5) ? random.between(100, 3_000) : random.between(6_000, 40_000), () => victim.thaw());
      } else if (roll < 0.87) world.queue.loseEverything();
      else world.network.faulty = !world.network.faulty;
    },
  );
  return {
    stop: async () => {
      await faults.stop();
      world.network.faulty = false;
      for (const process of world.processes) process.thaw();
      await world.startProcess();
    },
  };
}

/** Clocks of processes that are wrong, and set right. No excuse for anything: shared time is the database's. */
export function skewClocks(world: World): Activity {
  const random = world.random.fork();
  return repeated(
    world,
    () => random.between(500, 6_000),
    () => {
      if (world.processes.length > 0) random.pick(world.processes).skewMs = random.pick([0, -600_000, 30_000, 600_000, 7_200_000, -7_200_000]);
    },
  );
}

/** Processes that are stopped as on SIGTERM, each after its successor has started. */
export function restartProcesses(world: World): Activity {
  const random = world.random.fork();
  return repeated(
    world,
    () => random.between(2_000, 9_000),
    async () => {
      const able = world.processes.filter(({ status, isStopping }) => status === 'up' && !isStopping);
      if (able.length === 0) return;
      const victim = random.pick(able);
      await world.startProcess(victim.role);
      await Promise.race([victim.stop(), world.scheduler.sleep(60_000)]);
    },
  );
}
