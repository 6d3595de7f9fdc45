import { DomainError } from '../core/errors.js';
import type { LiveBus, Sessions } from '../core/ports.js';

/** How often the log is looked at in case a hint was lost. */
const LOOK_EVERY_MS = 500;

/** Resolves when the turn is over; refuses with `session_busy` when it is not within `withinMs`. */
export async function turnSettled(sessions: Sessions, live: LiveBus, tenantId: string, sessionId: string, turnId: string, withinMs: number): Promise<void> {
  const over = async (): Promise<boolean> => (await sessions.load(tenantId, sessionId)).turn?.turnId !== turnId;
  let news: () => void = () => undefined;
  const unsubscribe = live.subscribe(sessionId, () => news());
  try {
    for (const deadline = performance.now() + withinMs; performance.now() < deadline;) {
      let timer: NodeJS.Timeout | undefined;
      const next = new Promise<void>((resolve) => {
        news = resolve;
        timer = setTimeout(resolve, LOOK_EVERY_MS);
      });
      if (await over()) return clearTimeout(timer);
      await next;
      clearTimeout(timer);
    }
  } finally {
    unsubscribe();
  }
  throw new DomainError('session_busy', 'The running turn did not stop in time; try again.');
}
