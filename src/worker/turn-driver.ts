import { Injectable } from '@nestjs/common';
import { requestedCompaction } from '../core/compaction/requested.js';
import { unreachable } from '../core/errors.js';
import { Clock, type Job, Limits, Sessions } from '../core/ports.js';
import { nextStep, type Step } from '../core/decide/next-step.js';
import type { SessionState } from '../core/session/state.js';
import { isStaleJob } from '../core/session/turn-jobs.js';
import { CallModel, isOvertaken } from './call-model.js';
import { CompactConversation } from './compact-conversation.js';
import { InterruptWatch } from './interrupt-watch.js';
import { pause } from './sleep.js';
import { PrepareTurn } from './prepare/prepare-turn.js';
import { FinishInterrupt } from './finish-interrupt.js';
import { ToolLoop } from './tools/tool-loop.js';
import { TurnReports } from './turn-reports.js';

/**
 * Takes one turn as far as it goes. What to do next is read off the log before every step, so it makes no difference whether a turn is fresh, was left by
 * a worker that died, or is delivered twice.
 */
@Injectable()
export class TurnDriver {
  constructor(
    private readonly sessions: Sessions,
    private readonly prepareTurn: PrepareTurn,
    private readonly callModel: CallModel,
    private readonly compactConversation: CompactConversation,
    private readonly toolLoop: ToolLoop,
    private readonly finishInterrupt: FinishInterrupt,
    private readonly watch: InterruptWatch,
    private readonly reports: TurnReports,
    private readonly limits: Limits,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns when the turn is over, waits for somebody, or has been taken over; throws when the outside world fails, to be called again. `jobId`: the job it
   * is driven for, of which a turn that waited has a new one: two at once would take each other for lost.
   */
  async drive(job: Job['payload'], jobId: string, signal: AbortSignal): Promise<void> {
    // After a step of its own the worker knows how the turn stands; whatever else has happened, its next report finds out.
    for (let mine = false; !signal.aborted;) {
      try {
        const state = (mine ? this.sessions.known(job.tenantId, job.sessionId) : null) ?? (await this.sessions.load(job.tenantId, job.sessionId));
        if (state.turn?.turnId === job.turnId && isStaleJob(state.turn, jobId)) return;
        if (!(await this.#take(nextStep(state, job.turnId), job, state, signal))) return;
        mine = true;
      } catch (error) {
        if (isOvertaken(error, 'turn_over')) return;
        if (!isOvertaken(error, 'version_conflict')) throw error;
        mine = false;
      }
    }
    throw signal.reason;
  }

  /** False when there is nothing left to do. */
  async #take(step: Step, job: Job['payload'], state: SessionState, signal: AbortSignal): Promise<boolean> {
    const { turnId } = job;
    switch (step.kind) {
      case 'nothing':
        return false;
      case 'prepare': {
        const submission = state.prompts.get(state.turn?.promptId ?? '')?.submission;
        if (!submission) throw new Error(`turn ${turnId} has no prompt`);
        const asked = requestedCompaction(submission);
        if (asked) await this.watch.during(job, signal, (stop) => this.compactConversation.prepare(job, state, asked, stop));
        else await this.watch.during(job, signal, (stop) => this.prepareTurn.run(job, state, submission, stop));
        return true;
      }
      case 'finish-interrupt':
        await this.finishInterrupt.run(job);
        return false;
      case 'abandon-request': {
        const at = this.clock.timestamp();
        // What brings its worker down each time would otherwise do so for ever.
        const lastTime = (state.turn?.failedAttempts ?? 0) + 1 >= this.limits.maxLostWorkers;
        const message = `The worker that waited for this answer was lost; ${lastTime ? 'this has happened too often in a row, so the turn ends here' : 'the model is asked again'}.`;
        const error = { code: 'worker_lost', message };
        await this.reports.report(job, `abandon:${step.requestId}`, {
          type: 'RecordRequestFailure',
          turnId,
          requestId: step.requestId,
          error,
          durationMs: 0,
          retryAt: lastTime ? null : at,
          rejected: null,
          partial: null,
          at,
          seed: this.clock.uuid(),
        });
        return true;
      }
      case 'request':
        return this.#request(step, job, state, signal);
      case 'close-lost-calls':
      case 'decide-calls':
      case 'run-calls':
      case 'wait-for-calls':
      case 'finish':
        return this.toolLoop.take(step, job, state, signal);
      default:
        return unreachable(step);
    }
  }

  async #request({ ordinal, notBefore }: Extract<Step, { kind: 'request' }>, job: Job['payload'], state: SessionState, signal: AbortSignal): Promise<boolean> {
    const now = this.clock.now();
    if (ordinal > this.limits.maxRequestsPerTurn) {
      const message = `The turn has asked the model ${ordinal - 1} times, which is the limit.`;
      const at = new Date(now).toISOString();
      await this.reports.report(job, 'limit', { type: 'FailTurn', turnId: job.turnId, error: { code: 'limit_reached', message }, at, uuid: this.clock.uuid() });
      return false;
    }
    if (notBefore > now) await this.watch.during(job, signal, (stop) => pause(notBefore - now, stop));
    else if (ordinal > 1 || !(await this.toolLoop.offerTools(job, state))) {
      if (!(await this.compactConversation.runIfDue(job, state, ordinal, signal))) await this.callModel.run(job, state, ordinal, signal);
    }
    return true;
  }
}
