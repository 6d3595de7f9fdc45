import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/env.js';
import type { Job } from '../../core/ports.js';
import type { CallRecord, SessionState } from '../../core/session/state.js';
import { callsThatAre } from '../../core/session/tool-calls.js';
import { isOvertaken } from '../call-model.js';
import { InterruptWatch } from '../interrupt-watch.js';
import { RunCall } from './run-call.js';

/** Runs the calls that may run, side by side up to a limit. One that a person lets through meanwhile joins them. */
@Injectable()
export class RunCalls {
  constructor(
    private readonly runCall: RunCall,
    private readonly watch: InterruptWatch,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'TOOL_CONCURRENCY'>,
  ) {}

  async run(job: Job['payload'], state: SessionState, signal: AbortSignal): Promise<void> {
    const giveUp = new AbortController();
    const running = new Map<string, Promise<void>>();
    const failures: unknown[] = [];
    let stop: AbortSignal = signal;

    const take = (now: SessionState): void => {
      if (now.turn?.turnId !== job.turnId) return;
      for (const call of callsThatAre('ready', now.turn)) {
        if (stop.aborted || failures.length > 0 || running.size >= this.settings.TOOL_CONCURRENCY) return;
        if (!running.has(call.toolUseId)) start(now, call);
      }
    };
    const start = (now: SessionState, call: CallRecord): void => {
      const run = this.runCall
        .run(job, now, call, { stop, process: signal })
        .then((after) => {
          running.delete(call.toolUseId);
          if (after) take(after);
        })
        .catch((error: unknown) => {
          running.delete(call.toolUseId);
          if (isOvertaken(error, 'version_conflict')) return;
          failures.push(error);
          // Somebody else has the turn. Anything else is no reason to break off the other calls.
          if (isOvertaken(error, 'turn_over')) giveUp.abort(error);
        });
      running.set(call.toolUseId, run);
    };

    await this.watch.during(
      job,
      AbortSignal.any([signal, giveUp.signal]),
      async (until) => {
        stop = until;
        take(state);
        while (running.size > 0) await Promise.race(running.values());
      },
      take,
    );
    if (failures.length > 0) throw failures[0];
    if (signal.aborted) throw signal.reason;
  }
}
