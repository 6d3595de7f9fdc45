import { Injectable } from '@nestjs/common';
import type { ModelMessage } from '../../../packages/protocol/message/message.js';
import { Clock, GateSource } from '../../ports/index.js';
import { type ClaimedTurn, TurnReports } from './turn-reports.js';

/** Ends a turn that was requested to stop. */
@Injectable()
export class FinishInterrupt {
  constructor(
    private readonly reports: TurnReports,
    private readonly gates: GateSource,
    private readonly clock: Clock,
  ) {}

  /** `partial`: the received part of the answer in flight, after `durationMs`. */
  async finish(job: ClaimedTurn, partial: ModelMessage | null = null, durationMs = 0): Promise<void> {
    const gates = await this.gates.intake(job.tenantId);
    const at = this.clock.timestamp();
    await this.reports.report(job, 'interrupt', { type: 'FinishInterrupt', turnId: job.turnId, partial, durationMs, at, seed: this.clock.uuid(), gates });
  }
}
