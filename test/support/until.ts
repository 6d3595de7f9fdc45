import { setTimeout as pause } from 'node:timers/promises';

/** Waits for what only asking can show, such as another connection's state; fails after ten seconds. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await pause(5);
  }
}
