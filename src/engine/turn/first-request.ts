import { Injectable } from '@nestjs/common';
import { decide } from '../../session/decide/decide.js';
import { nextStep } from '../../session/decide/next-step.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Sessions } from '../../ports/index.js';
import { applyUncommitted } from '../../session/state/apply-uncommitted.js';
import type { SessionState } from '../../session/state/state.js';
import { CallModel } from './call-model.js';
import { CompactConversation } from './compact-conversation.js';
import type { Preparation } from './prepare/prepare-turn.js';
import { Stopping } from '../dispatch/stopping.js';
import { ToolLoop } from './tools/tool-loop.js';
import { StandingContext } from './standing-context.js';
import type { ClaimedTurn } from './turn-reports.js';

/** Records a turn's preparation and its first request in one append, when nothing has to happen between them. */
@Injectable()
export class FirstRequest {
  constructor(
    private readonly sessions: Sessions,
    private readonly callModel: CallModel,
    private readonly compactConversation: CompactConversation,
    private readonly toolLoop: ToolLoop,
    private readonly standing: StandingContext,
    private readonly stopping: Stopping,
  ) {}

  /** Sends the request and records its answer. False: nothing was recorded, and the preparation is to be reported by itself. */
  async send(job: ClaimedTurn, preparation: Preparation, signal: AbortSignal): Promise<boolean> {
    const prepared = this.#after(job, preparation);
    if (!prepared || signal.aborted || this.stopping.begun) return false;
    const context = await this.standing.missing(job, prepared.ahead, signal);
    const report = { ...preparation, messages: [...preparation.messages, ...context] };
    const after = context.length === 0 ? prepared : this.#after(job, report);
    if (!after || signal.aborted || this.stopping.begun) return false;
    const { ahead } = after;
    const step = nextStep(ahead, job.turnId);
    if (step.kind !== 'request' || step.ordinal > 1 || this.compactConversation.isDue(ahead) || (await this.toolLoop.hasOtherTools(job, ahead))) return false;
    return this.callModel.requestFirst(job, { report, ...after }, signal);
  }

  /** Null: the preparation does not lead to a request, or is rejected. */
  #after(job: ClaimedTurn, preparation: Preparation): { readonly state: SessionState; readonly ahead: SessionState } | null {
    const state = this.sessions.known(job.tenantId, job.sessionId);
    if (!state || !preparation.callsModel || preparation.failure) return null;
    try {
      return { state, ahead: applyUncommitted(state, decide(preparation, state)) };
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }
}
