import type { Chance } from '../../support/random.js';

/** Causes a fault, for each kind. False: it is not possible now. */
export type Causes<Kind extends string> = Readonly<Record<Kind, (chance: Chance) => Promise<boolean> | boolean>>;

/** A limit for a fault that never becomes possible. */
export const POSSIBLE_SECONDS = 600;

/** Whether there was such a process. */
export function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && pid > 0 && process.kill(pid, name);
  } catch {
    return false;
  }
}
