import { Injectable } from '@nestjs/common';
import { type Job, LiveBus, Sessions } from '../core/ports.js';

/** How often the log is looked at in case a hint was lost. */
const LOOK_EVERY_MS = 1_000;

/** Notices while a turn waits for something outside that somebody wants it to stop. */
@Injectable()
export class InterruptWatch {
  constructor(
    private readonly sessions: Sessions,
    private readonly live: LiveBus,
  ) {}

  /**
   * Runs `task` with a signal that aborts when the turn is to be interrupted, is over, or `outer` aborts. The watch never fails the task: when the log
   * cannot be read, the task goes on.
   */
  async during<T>({ tenantId, sessionId, turnId }: Job['payload'], outer: AbortSignal, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    let looking = false;
    const look = (): void => {
      if (looking || stop.signal.aborted) return;
      looking = true;
      this.sessions
        .load(tenantId, sessionId)
        .then((state) => {
          if (state.turn?.turnId !== turnId || state.turn.interruptRequested) stop.abort();
        })
        .catch(() => undefined)
        .finally(() => {
          looking = false;
        });
    };
    const unsubscribe = this.live.subscribe(sessionId, (signal) => {
      if (signal.kind === 'advanced') look();
    });
    const timer = setInterval(look, LOOK_EVERY_MS);
    try {
      return await task(AbortSignal.any([outer, stop.signal]));
    } finally {
      clearInterval(timer);
      unsubscribe();
    }
  }
}
