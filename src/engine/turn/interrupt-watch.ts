import { Injectable } from '@nestjs/common';
import { type Job, LiveBus, Sessions } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';

/** Interval of reading the log in case a live message was lost. */
const POLL_MS = 1_000;

/** Aborts the work of a turn when the turn is requested to stop. */
@Injectable()
export class InterruptWatch {
  constructor(
    private readonly sessions: Sessions,
    private readonly live: LiveBus,
  ) {}

  /**
   * Runs `task` with a signal that aborts when the turn is requested to stop, is over, or `outer` aborts. The watch never fails the task: when the log
   * cannot be read, the task continues. `onChange` is called with the session whenever it has changed.
   */
  async during<T>(
    { tenantId, sessionId, turnId }: Job['payload'],
    outer: AbortSignal,
    task: (signal: AbortSignal) => Promise<T>,
    onChange: (state: SessionState) => void = () => undefined,
  ): Promise<T> {
    const stop = new AbortController();
    let reading = false;
    let changedMeanwhile = false;
    let done = false;
    const check = (state: SessionState): void => {
      if (state.turn?.turnId !== turnId || state.turn.interruptRequested) stop.abort();
      else if (!done) onChange(state);
    };
    /** `seq`: a lower bound of the log's version; 0: unknown. */
    const read = (seq = 0): void => {
      if (done || stop.signal.aborted) return;
      const known = seq > 0 ? this.sessions.known(tenantId, sessionId) : null;
      if (known && known.version >= seq) return check(known);
      changedMeanwhile = reading;
      if (reading) return;
      reading = true;
      this.sessions
        .load(tenantId, sessionId)
        .then(check)
        .catch(() => undefined)
        .finally(() => {
          reading = false;
          // An event announced during the read may not be part of its result.
          if (changedMeanwhile) read();
        });
    };
    const unsubscribe = this.live.subscribe(
      sessionId,
      (signal) => {
        if (signal.kind === 'advanced') read(signal.seq);
      },
      'hints',
    );
    const timer = setInterval(() => read(), POLL_MS);
    try {
      return await task(AbortSignal.any([outer, stop.signal]));
    } finally {
      done = true;
      clearInterval(timer);
      unsubscribe();
    }
  }
}
