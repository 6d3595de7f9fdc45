import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from './connect.js';
import { DatabaseError, errorText } from './database-error.js';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

export interface SetupTime {
  /** Milliseconds from now on in which the setup is repeated. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives a line per repetition. */
  readonly report?: ((line: string) => void) | undefined;
}

/**
 * Does a part of the setup, and the whole of it again when a step fails because the server was away, silent or busy. Each part of a setup does nothing that is done already.
 * `attempt` gets the time that is left.
 */
export async function retrySetup<Result>({ waitMs, signal, report }: SetupTime, attempt: (leftMs: number) => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + waitMs;
  for (let left = waitMs, wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt(left);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTemporary(error) || performance.now() + wait >= deadline) throw error;
      report?.(`The setup of the database is repeated: ${errorText(error)}`);
      await pause(wait, undefined, { signal }).catch(() => signal?.throwIfAborted());
      left = Math.max(Math.ceil(deadline - performance.now()), 0);
    }
  }
}

/** Whether the same may succeed later. A failed migration was rolled back: what matters is why. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return isTransient(error);
  if (error.code === 'migration_failed') return isTransient(error.cause);
  return error.code === 'database_unreachable' || error.code === 'database_silent';
}
