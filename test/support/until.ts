import { setTimeout as pause } from 'node:timers/promises';

/** Waits for what only asking can show, such as another connection's state; fails after `seconds`, a limit for what never comes: it measures no speed. */
export async function until(what: string, holds: () => Promise<boolean>, seconds = 600): Promise<void> {
  const deadline = Date.now() + seconds * 1_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await pause(5);
  }
}
