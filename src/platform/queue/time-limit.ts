import { setTimeout as pause } from 'node:timers/promises';

/** Whether the promise is settled within the time, fulfilled or rejected. */
export async function isSettledWithin(promise: Promise<unknown> | undefined, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const end = (promise ?? Promise.resolve()).then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([end, pause(milliseconds, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}
