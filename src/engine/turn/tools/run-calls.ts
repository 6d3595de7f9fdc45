import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../platform/config/env.js';
import type { CallRecord, SessionState } from '../../../session/state/state.js';
import { callsThatAre, isForHelper } from '../../../session/state/tool-calls.js';
import { InterruptWatch } from '../interrupt-watch.js';
import { Stopping } from '../../dispatch/stopping.js';
import { HelperCalls } from './helper-calls.js';
import { RunCall } from './run-call.js';
import { type ClaimedTurn, isOvertaken } from '../turn-reports.js';

/** Runs the calls that are ready, TOOL_CONCURRENCY at a time, including those that a user allows meanwhile. */
@Injectable()
export class RunCalls {
  constructor(
    private readonly runCall: RunCall,
    private readonly helpers: HelperCalls,
    private readonly watch: InterruptWatch,
    private readonly stopping: Stopping,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'TOOL_CONCURRENCY'>,
  ) {}

  async runReady(job: ClaimedTurn, state: SessionState, signal: AbortSignal): Promise<void> {
    const overtaken = new AbortController();
    const running = new Map<string, Promise<void>>();
    const starting = new Set<string>(); // helpers
    const failures: unknown[] = [];
    let stop: AbortSignal = signal;

    const startReady = (now: SessionState): void => {
      if (now.turn?.turnId !== job.turnId) return;
      for (const call of callsThatAre('ready', now.turn)) {
        if (stop.aborted || this.stopping.begun || failures.length > 0 || running.size >= this.settings.TOOL_CONCURRENCY) return;
        if (running.has(call.toolUseId)) continue;
        if (isForHelper(call) && starting.size >= this.helpers.room(now.turn)) continue;
        start(now, call);
      }
    };
    const start = (now: SessionState, call: CallRecord): void => {
      const run = this.runCall
        .execute(job, now, call, { stop, process: signal })
        .then((after) => {
          starting.delete(call.toolUseId);
          running.delete(call.toolUseId);
          if (after) startReady(after);
        })
        .catch((error: unknown) => {
          starting.delete(call.toolUseId);
          running.delete(call.toolUseId);
          if (isOvertaken(error, 'version_conflict')) return;
          failures.push(error);
          // Another worker has the turn. Any other failure does not stop the other calls.
          if (isOvertaken(error, 'turn_over')) overtaken.abort(error);
        });
      running.set(call.toolUseId, run);
      if (isForHelper(call)) starting.add(call.toolUseId);
    };

    await this.watch.during(
      job,
      AbortSignal.any([signal, overtaken.signal]),
      async (until) => {
        stop = until;
        setMaxListeners(0, stop); // every call that runs adds a listener; Node warns of a leak above ten
        startReady(state);
        while (running.size > 0) await Promise.race(running.values());
      },
      startReady,
    );
    if (failures.length > 0) throw failures[0];
    if (signal.aborted) throw signal.reason;
  }
}
