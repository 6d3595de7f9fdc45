import { Injectable } from '@nestjs/common';
import { OWN_REQUEST } from '../commands/context.js';
import { type Executed, Executor, WORKER_ID } from '../commands/execute.js';
import { uuidFromSha256 } from '../core/message/ids.js';
import { Digest, type Job, type TurnClaim } from '../core/ports.js';
import type { TurnCommand } from '../core/session/commands.js';

/** The payload of a turn's job, with the claim under which this worker reports. */
export type ClaimedTurn = Job['payload'] & { readonly claim: TurnClaim };

/** Reports of a worker about its turn. The command id of a report is derived from the turn and the step, so a step that is repeated after a crash has no second effect. */
@Injectable()
export class TurnReports {
  constructor(
    private readonly executor: Executor,
    private readonly digest: Digest,
  ) {}

  /** `step`: name of the report within its turn. Throws DomainError `turn_over` when the turn has moved on without this worker, or another one has claimed it. */
  report({ tenantId, sessionId, turnId, claim }: Job['payload'] & { readonly claim?: TurnClaim }, step: string, command: TurnCommand): Promise<Executed> {
    const commandId = uuidFromSha256(this.digest.sha256(`${turnId}:${step}`));
    const principal = { tenantId, userId: WORKER_ID, role: 'admin' as const };
    return this.executor.execute({ principal, sessionId, commandId, requestHash: OWN_REQUEST, expectedVersion: null, ...(claim ? { claim } : {}) }, command);
  }
}
