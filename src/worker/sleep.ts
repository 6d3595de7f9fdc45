import { setTimeout } from 'node:timers/promises';

/** Resolves after `milliseconds` or when `signal` aborts, whichever comes first; never rejects. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
