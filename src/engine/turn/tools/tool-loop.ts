import { Injectable } from '@nestjs/common';
import { unreachable } from '../../../../packages/protocol/errors.js';
import type { Step } from '../../../session/decide/next-step.js';
import type { SessionState } from '../../../session/state/state.js';
import { type ClaimedTurn, TurnReports } from '../turn-reports.js';
import { CloseLostCalls } from './close-lost-calls.js';
import { DecideCalls } from './decide-calls.js';
import { OfferTools } from './offer-tools.js';
import { FinishTurn } from './finish-turn.js';
import { Clock } from '../../../ports/index.js';
import { InterruptWatch } from '../interrupt-watch.js';
import { HelperCalls } from './helper-calls.js';
import { RunCall } from './run-call.js';
import { RunCalls } from './run-calls.js';

/** The steps between two requests of a turn. */
@Injectable()
export class ToolLoop {
  constructor(
    private readonly offer: OfferTools,
    private readonly decideCalls: DecideCalls,
    private readonly runCalls: RunCalls,
    private readonly runCall: RunCall,
    private readonly helpers: HelperCalls,
    private readonly watch: InterruptWatch,
    private readonly clock: Clock,
    private readonly closeLostCalls: CloseLostCalls,
    private readonly finishTurn: FinishTurn,
    private readonly reports: TurnReports,
  ) {}

  /** True when the offered tools have changed. */
  offerTools(job: ClaimedTurn, state: SessionState): Promise<boolean> {
    return this.offer.offer(job, state);
  }

  /** Whether `offerTools` would change them. */
  async hasOtherTools(job: ClaimedTurn, state: SessionState): Promise<boolean> {
    return (await this.offer.changed(job, state)) !== null;
  }

  /** False when nothing is left to do for now. */
  async perform(
    step: Extract<Step, { kind: 'close-lost-calls' | 'decide-calls' | 'run-calls' | 'wait-for-calls' | 'finish' }>,
    job: ClaimedTurn,
    state: SessionState,
    signal: AbortSignal,
  ): Promise<boolean> {
    switch (step.kind) {
      case 'close-lost-calls':
        await this.closeLostCalls.close(job, step.toolUseIds);
        return true;
      case 'decide-calls':
        await this.decideCalls.decide(job, state, signal);
        return true;
      case 'run-calls':
        if (state.turn && this.helpers.isFull(state.turn)) return this.#wait(job, state, signal);
        await this.runCalls.runReady(job, state, signal);
        return true;
      case 'wait-for-calls':
        return this.#wait(job, state, signal);
      case 'finish':
        if (state.turn) await this.finishTurn.finish(job, state, state.turn, signal);
        return true;
      default:
        return unreachable(step);
    }
  }

  /** The result of a helper that has ended, or the end of this segment. */
  async #wait(job: ClaimedTurn, state: SessionState, signal: AbortSignal): Promise<boolean> {
    const found = await this.helpers.outcome(job, state);
    if (found) {
      const { call, outcome } = found;
      const durationMs = Math.max(0, this.clock.now() - Date.parse(call.startedAt ?? ''));
      await this.watch.during(job, signal, (stop) => this.runCall.conclude(job, state, call, { outcome, durationMs }, { stop, process: signal }));
      await this.helpers.end(job.tenantId, call.helper);
      return true;
    }
    const { state: after } = await this.reports.report(job, `await:${state.version}`, { type: 'WaitForCalls', turnId: job.turnId });
    await this.helpers.resume(job, after);
    return false;
  }
}
