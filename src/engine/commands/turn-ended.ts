import { DomainError } from '../../../packages/protocol/errors.js';
import type { LiveBus, Sessions } from '../../ports/index.js';

/** Interval of reading the log in case a live message was lost. */
const POLL_MS = 500;

/** Resolves when the turn is over; throws `session_busy` when it is not within `withinMs`. */
export async function turnEnded(sessions: Sessions, live: LiveBus, tenantId: string, sessionId: string, turnId: string, withinMs: number): Promise<void> {
  /** What this process has folded up to `seq` is not read again. */
  const over = async (seq: number): Promise<boolean> => {
    const known = seq > 0 ? sessions.known(tenantId, sessionId) : null;
    return (known && known.version >= seq ? known : await sessions.load(tenantId, sessionId)).turn?.turnId !== turnId;
  };
  let heard = 0;
  let wake: () => void = () => undefined;
  const unsubscribe = live.subscribe(
    sessionId,
    (signal) => {
      if (signal.kind !== 'advanced') return;
      heard = signal.seq;
      wake();
    },
    'hints',
  );
  try {
    for (const deadline = performance.now() + withinMs; performance.now() < deadline;) {
      let timer: NodeJS.Timeout | undefined;
      const next = new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, POLL_MS);
      });
      if (await over(heard)) return clearTimeout(timer);
      heard = 0;
      await next;
      clearTimeout(timer);
    }
  } finally {
    unsubscribe();
  }
  throw new DomainError('session_busy', `The running turn did not stop within ${Math.round(withinMs / 1_000)} s of being interrupted; retry.`);
}
