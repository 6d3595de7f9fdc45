import type { Activity } from './faults.js';
import { repeated } from './faults.js';
import type { World } from './world.js';

const LOOK_MS = 25;

/** Virtual milliseconds from the moment when a job could run to its claim. */
const LATEST_MS = 100;

/**
 * No job waits while its tenant has a free share and a process has room: without faults, each is claimed within 100 ms.
 */
export function watchWaiting(world: World): Activity {
  const since = new Map<string, number>();
  return repeated(
    world,
    () => LOOK_MS,
    () => {
      const { now } = world.scheduler;
      const waiting = new Set(world.runnable());
      for (const id of since.keys()) if (!waiting.has(id)) since.delete(id);
      for (const id of waiting) {
        const first = since.get(id) ?? now;
        since.set(id, first);
        if (now - first <= LATEST_MS || world.incidents.any(first - 1_000, now)) continue;
        world.violations.push(`job ${id} waited for ${now - first} ms although it could run`);
        since.set(id, Infinity);
      }
    },
  );
}
