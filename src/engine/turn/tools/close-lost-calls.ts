import { Injectable } from '@nestjs/common';
import { OUTCOME_UNKNOWN } from '../../../../packages/protocol/message/wire-texts.js';
import { Clock } from '../../../ports/index.js';
import { outcomeMessage } from '../../../session/decide/closed-calls.js';
import { type ClaimedTurn, TurnReports } from '../turn-reports.js';

/** Closes calls whose worker was lost while they ran. They may have taken effect, so they are never repeated. */
@Injectable()
export class CloseLostCalls {
  constructor(
    private readonly reports: TurnReports,
    private readonly clock: Clock,
  ) {}

  async close(job: ClaimedTurn, toolUseIds: readonly string[]): Promise<void> {
    const at = this.clock.timestamp();
    for (const toolUseId of toolUseIds) {
      const message = outcomeMessage({ toolUseId, content: OUTCOME_UNKNOWN, isError: true }, { uuid: this.clock.uuid(), at });
      await this.reports.report(job, `lost:${this.clock.uuid()}`, {
        type: 'RecordOutcome',
        turnId: job.turnId,
        toolUseId,
        outcome: 'unknown',
        isError: true,
        durationMs: 0,
        messages: [message],
        hookRuns: [],
        endReason: null,
      });
    }
  }
}
