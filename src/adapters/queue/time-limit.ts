import { setTimeout as pause } from 'node:timers/promises';

/** Whether the promise has come to an end, good or bad, within the time. */
export async function settled(promise: Promise<unknown> | undefined, milliseconds: number): Promise<boolean> {
  const late = new AbortController();
  const end = (promise ?? Promise.resolve()).then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([end, pause(milliseconds, false, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}
