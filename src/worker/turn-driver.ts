import { Injectable } from '@nestjs/common';
import { compactionAsked } from '../core/compaction/asked.js';
import { unreachable } from '../core/errors.js';
import { Clock, type Job, Limits, Sessions } from '../core/ports.js';
import { nextStep } from '../core/session/next-step.js';
import { AskModel, isOvertaken } from './ask-model.js';
import { CompactConversation } from './compact-conversation.js';
import { InterruptWatch } from './interrupt-watch.js';
import { pause } from './pause.js';
import { PrepareTurn } from './prepare/prepare-turn.js';
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
    private readonly askModel: AskModel,
    private readonly compactConversation: CompactConversation,
    private readonly watch: InterruptWatch,
    private readonly reports: TurnReports,
    private readonly limits: Limits,
    private readonly clock: Clock,
  ) {}

  /** Returns when the turn is over, waits for its client, or has been taken over; throws when the outside world fails, to be called again. */
  async drive(job: Job['payload'], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!(await this.#step(job, signal))) return;
      } catch (error) {
        if (isOvertaken(error, 'turn_over')) return;
        if (!isOvertaken(error, 'version_conflict')) throw error;
      }
    }
    throw signal.reason;
  }

  /** False when there is nothing left to do. */
  async #step(job: Job['payload'], signal: AbortSignal): Promise<boolean> {
    const { tenantId, sessionId, turnId } = job;
    const state = await this.sessions.load(tenantId, sessionId);
    const step = nextStep(state, turnId);
    const now = this.clock.now();
    const at = new Date(now).toISOString();
    switch (step.kind) {
      case 'nothing':
        return false;
      case 'prepare': {
        const submission = state.prompts.get(state.turn?.promptId ?? '')?.submission;
        if (!submission) throw new Error(`turn ${turnId} has no prompt`);
        const asked = compactionAsked(submission);
        if (asked) await this.watch.during(job, signal, (stop) => this.compactConversation.prepare(job, state, asked, stop));
        else await this.watch.during(job, signal, (stop) => this.prepareTurn.run(job, state, submission, stop));
        return true;
      }
      case 'settle-interrupt': {
        const uuids = [this.clock.uuid(), this.clock.uuid(), this.clock.uuid()] as const;
        await this.reports.report(job, 'interrupt', { type: 'SettleInterrupt', turnId, partial: null, durationMs: 0, at, uuids });
        return false;
      }
      case 'abandon-request':
        await this.reports.report(job, `abandon:${step.requestId}`, {
          type: 'RecordRequestFailure',
          turnId,
          requestId: step.requestId,
          error: { code: 'worker_lost', message: 'The worker that waited for this answer was lost; the model is asked again.' },
          durationMs: 0,
          retryAt: at,
          refused: null,
          partial: null,
          at,
          uuids: [this.clock.uuid(), this.clock.uuid()],
        });
        return true;
      case 'request':
        if (step.ordinal > this.limits.maxRequestsPerTurn) {
          const message = `The turn has asked the model ${step.ordinal - 1} times, which is the limit.`;
          await this.reports.report(job, 'limit', { type: 'FailTurn', turnId, error: { code: 'limit_reached', message }, at, uuid: this.clock.uuid() });
          return false;
        }
        if (step.notBefore > now) await this.watch.during(job, signal, (stop) => pause(step.notBefore - now, stop));
        else if (!(await this.compactConversation.runIfDue(job, state, step.ordinal, signal))) await this.askModel.run(job, state, step.ordinal, signal);
        return true;
      default:
        return unreachable(step);
    }
  }
}
