import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../database-error.js';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
const REPORT_INTERVAL_MS = 5_000;

export interface WaitOptions {
  /** How long to retry; 0 = one attempt. */
  readonly timeoutMs: number;
  /** Ends the wait: the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Receives a line every five seconds that says what is being waited for, and why the last attempt failed. */
  readonly report?: ((line: string) => void) | undefined;
}

/** Retries `attempt` with growing pauses while its errors are transient. Rejects with the error of the last attempt once `timeoutMs` has passed. */
export async function waitForService<Result>(
  service: string,
  { timeoutMs, signal, report }: WaitOptions,
  attempt: () => Promise<Result>,
  isTransient: (error: unknown) => boolean = () => true,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  let lastError = 'no answer yet';
  const reporter = setInterval(
    () => report?.(`Waiting for ${service}, for up to ${Math.max(Math.ceil((deadline - performance.now()) / 1000), 0)} s more: ${lastError}`),
    REPORT_INTERVAL_MS,
  );
  const aborted = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
  aborted.catch(() => undefined);
  try {
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
      signal?.throwIfAborted();
      try {
        return await Promise.race([attempt(), aborted]);
      } catch (error) {
        signal?.throwIfAborted();
        const left = deadline - performance.now();
        if (!isTransient(error) || left <= 0) throw error;
        lastError = errorText(error);
        await Promise.race([pause(Math.min(wait, left)), aborted]);
      }
    }
  } finally {
    clearInterval(reporter);
  }
}
