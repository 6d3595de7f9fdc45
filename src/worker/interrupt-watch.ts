import { Injectable } from '@nestjs/common';
import { type Job, LiveBus, Sessions } from '../core/ports.js';
import type { SessionState } from '../core/session/state.js';

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
   * cannot be read, the task goes on. `look` sees the session whenever there is news of it.
   */
  async during<T>(
    { tenantId, sessionId, turnId }: Job['payload'],
    outer: AbortSignal,
    task: (signal: AbortSignal) => Promise<T>,
    look: (state: SessionState) => void = () => undefined,
  ): Promise<T> {
    const stop = new AbortController();
    let looking = false;
    let news = false;
    let done = false;
    const see = (state: SessionState): void => {
      if (state.turn?.turnId !== turnId || state.turn.interruptRequested) stop.abort();
      else if (!done) look(state);
    };
    /** `seq`: how far the log reaches at least; 0 when that is not known. */
    const read = (seq = 0): void => {
      if (done || stop.signal.aborted) return;
      const known = seq > 0 ? this.sessions.known(tenantId, sessionId) : null;
      if (known && known.version >= seq) return see(known);
      news = looking;
      if (looking) return;
      looking = true;
      this.sessions
        .load(tenantId, sessionId)
        .then(see)
        .catch(() => undefined)
        .finally(() => {
          looking = false;
          // What came while the log was read may not have been in it yet.
          if (news) read();
        });
    };
    const unsubscribe = this.live.subscribe(sessionId, (signal) => {
      if (signal.kind === 'advanced') read(signal.seq);
    });
    const timer = setInterval(() => read(), LOOK_EVERY_MS);
    try {
      return await task(AbortSignal.any([outer, stop.signal]));
    } finally {
      done = true;
      clearInterval(timer);
      unsubscribe();
    }
  }
}
