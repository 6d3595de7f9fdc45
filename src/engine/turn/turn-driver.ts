import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { requestedCompaction } from '../../session/compaction/requested.js';
import { unreachable } from '../../../packages/protocol/errors.js';
import { Clock, Sessions } from '../../ports/index.js';
import { budgetSpent } from '../../session/state/helper-budget.js';
import { nextStep, type Step } from '../../session/decide/next-step.js';
import type { SessionState } from '../../session/state/state.js';
import { CallModel } from './call-model.js';
import { CompactConversation } from './compact-conversation.js';
import { FirstRequest } from './first-request.js';
import { InterruptWatch } from './interrupt-watch.js';
import { sleep } from '../dispatch/sleep.js';
import { Stopping } from '../dispatch/stopping.js';
import { type Preparation, PrepareTurn } from './prepare/prepare-turn.js';
import { FinishInterrupt } from './finish-interrupt.js';
import { ToolLoop } from './tools/tool-loop.js';
import { WorkspaceLog } from './workspace-log.js';
import { type ClaimedTurn, isOvertaken, TurnReports } from './turn-reports.js';

/**
 * Runs a turn until it is over or waits. Each step is determined from the log, so a new turn, a turn whose worker died, and a turn that is delivered twice
 * are handled alike.
 */
@Injectable()
export class TurnDriver {
  constructor(
    private readonly sessions: Sessions,
    private readonly prepareTurn: PrepareTurn,
    private readonly firstRequest: FirstRequest,
    private readonly callModel: CallModel,
    private readonly compactConversation: CompactConversation,
    private readonly toolLoop: ToolLoop,
    private readonly finishInterrupt: FinishInterrupt,
    private readonly watch: InterruptWatch,
    private readonly reports: TurnReports,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_LOST_WORKERS' | 'MAX_REQUESTS_PER_TURN' | 'MODEL_RETRY_MAX_MS'>,
    private readonly clock: Clock,
    private readonly stopping: Stopping,
    private readonly workspace: WorkspaceLog,
  ) {}

  /**
   * Returns when the turn is over, waits, or another worker has claimed it. Throws when a dependency fails, or the process stops; the job is then redelivered. `known`: the first
   * step may be determined from the cached session.
   */
  drive(job: ClaimedTurn, signal: AbortSignal, known = false): Promise<void> {
    return this.workspace.during(job, signal, () => this.#drive(job, signal, known));
  }

  async #drive(job: ClaimedTurn, signal: AbortSignal, known: boolean): Promise<void> {
    // After its own step the worker knows how the turn stands; whatever else has happened, its next report finds out.
    const waited = new Set<number>();
    for (let mine = known; !signal.aborted;) {
      try {
        const state = (mine ? this.sessions.known(job.tenantId, job.sessionId) : null) ?? (await this.sessions.load(job.tenantId, job.sessionId));
        const step = nextStep(state, job.turnId);
        this.stopping.requireTimeFor(step);
        if (!(await this.#perform(step, job, state, signal, waited))) return;
        mine = true;
      } catch (error) {
        if (isOvertaken(error, 'turn_over')) return;
        if (!isOvertaken(error, 'version_conflict')) throw error;
        mine = false;
      }
    }
    throw signal.reason;
  }

  /** False when nothing is left to do. */
  async #perform(step: Step, job: ClaimedTurn, state: SessionState, signal: AbortSignal, waited: Set<number>): Promise<boolean> {
    const { turnId } = job;
    switch (step.kind) {
      case 'nothing':
        return false;
      case 'prepare': {
        const submission = state.prompts.get(state.turn?.promptId ?? '')?.submission;
        if (!submission) throw new Error(`turn ${turnId} has no prompt`);
        const compaction = requestedCompaction(submission);
        if (compaction) await this.watch.during(job, signal, (stop) => this.compactConversation.prepare(job, state, compaction, stop));
        else {
          const preparation = await this.watch.during(job, signal, (stop) => this.prepareTurn.prepare(job, state, submission, stop));
          if (!(await this.firstRequest.send(job, preparation, signal))) await this.#keepPrepared(job, preparation, signal);
        }
        return true;
      }
      case 'finish-interrupt':
        await this.finishInterrupt.finish(job);
        return false;
      case 'abandon-request': {
        const at = this.clock.timestamp();
        // A request that crashes its worker would otherwise be repeated forever.
        const isLastAttempt = (state.turn?.failedAttempts ?? 0) + 1 >= this.settings.MAX_LOST_WORKERS;
        const message = `The worker that waited for this answer was lost; ${isLastAttempt ? 'the limit of consecutive losses is reached, so the turn failed' : 'the request is repeated'}.`;
        const error = { code: 'worker_lost', message };
        await this.reports.report(job, `abandon:${step.requestId}`, {
          type: 'RecordRequestFailure',
          turnId,
          requestId: step.requestId,
          error,
          durationMs: 0,
          retryAt: isLastAttempt ? null : at,
          rejected: [],
          partial: null,
          at,
          seed: this.clock.uuid(),
        });
        return true;
      }
      case 'request':
        return this.#request(step, job, state, signal, waited);
      case 'close-lost-calls':
      case 'decide-calls':
      case 'run-calls':
      case 'wait-for-calls':
      case 'finish':
        return this.toolLoop.perform(step, job, state, signal);
      default:
        return unreachable(step);
    }
  }

  /** The output of a command of bash mode is only here; any other preparation can be made again. */
  async #keepPrepared(job: ClaimedTurn, preparation: Preparation, signal: AbortSignal): Promise<void> {
    if (preparation.callsModel) await this.reports.report(job, 'prepare', preparation);
    else await this.reports.keep(job, 'prepare', preparation, signal);
  }

  async #request(
    { ordinal, notBefore }: Extract<Step, { kind: 'request' }>,
    job: ClaimedTurn,
    state: SessionState,
    signal: AbortSignal,
    waited: Set<number>,
  ): Promise<boolean> {
    const now = this.clock.now();
    const isOverLimit = ordinal > this.settings.MAX_REQUESTS_PER_TURN;
    const message = isOverLimit ? `The turn has made ${ordinal - 1} model requests, which is the limit per turn.` : budgetSpent(state);
    if (message !== null) {
      const at = new Date(now).toISOString();
      await this.reports.report(job, 'limit', { type: 'FailTurn', turnId: job.turnId, error: { code: 'limit_reached', message }, at, uuid: this.clock.uuid() });
      return false;
    }
    if (notBefore > now && !waited.has(ordinal)) {
      // Bounded, and once per request: `notBefore` is a wall-clock time, and clocks are set back or differ between workers.
      await this.watch.during(job, signal, (stop) => sleep(Math.min(notBefore - now, this.settings.MODEL_RETRY_MAX_MS), stop));
      waited.add(ordinal);
    } else if (ordinal > 1 || !(await this.toolLoop.offerTools(job, state))) {
      if (!(await this.compactConversation.runIfDue(job, state, ordinal, signal))) await this.callModel.request(job, state, ordinal, signal);
    }
    return true;
  }
}
