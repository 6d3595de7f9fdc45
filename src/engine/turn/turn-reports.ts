import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { Injectable, Logger } from '@nestjs/common';
import { OWN_REQUEST } from '../commands/context.js';
import { type Executed, Executor, WORKER_ID } from '../commands/execute.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import { DomainError, type ErrorCode } from '../../../packages/protocol/errors.js';
import { Digest, type Job, type TurnClaim } from '../../ports/index.js';
import type { TurnCommand } from '../../session/state/commands.js';
import { sleep } from '../dispatch/sleep.js';

/** The payload of a turn's job, with the claim under which this worker reports. */
export type ClaimedTurn = Job['payload'] & { readonly claim: TurnClaim };

/** Rejections of a report that end by themselves. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unavailable', 'tenant_moving']);

/** Pauses between two attempts of `keep`, milliseconds. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [100, 5_000];

/** Reports of a worker about its turn. The command id of a report is derived from the turn and the step, so a step that is repeated after a crash has no second effect. */
@Injectable()
export class TurnReports {
  readonly #log = new Logger(TurnReports.name);

  constructor(
    private readonly executor: Executor,
    private readonly digest: Digest,
  ) {}

  /** `step`: name of the report within its turn. `next`: a second report, in the same append. Throws DomainError `turn_over` when the turn has moved on without this worker, or another one has claimed it. */
  report(
    { tenantId, sessionId, turnId, claim }: Job['payload'] & { readonly claim?: TurnClaim },
    step: string,
    command: TurnCommand,
    next: TurnCommand | null = null,
  ): Promise<Executed> {
    const commandId = uuidFromSha256(this.digest.sha256(`${turnId}:${step}`));
    const principal = systemPrincipal(tenantId, WORKER_ID);
    const context = { principal, sessionId, commandId, requestHash: OWN_REQUEST, expectedVersion: null, ...(claim ? { claim } : {}) };
    return this.executor.execute(context, command, next);
  }

  /**
   * Like `report`, for what exists only here, as an answer of the model or the outcome of a call: while the store is unavailable, or the tenant is frozen, it is repeated, until it is recorded or
   * rejected, or `process` aborts.
   */
  keep(job: ClaimedTurn, step: string, command: TurnCommand, process: AbortSignal): Promise<Executed> {
    return this.patiently(`the report ${command.type}`, () => this.report(job, step, command), process);
  }

  /** Repeats `work`, named `what`, while the store is unavailable or the tenant is frozen, until it succeeds, fails otherwise, or `process` aborts. */
  async patiently<T>(what: string, work: () => Promise<T>, process: AbortSignal): Promise<T> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof DomainError) || !PASSING.has(error.code) || process.aborted) throw error;
        this.#log.warn(`${what} could not be recorded; retrying: ${String(error)}`);
        await sleep(pause, process);
      }
    }
  }
}

/** The report was rejected because the turn or the session has moved on; not an error. */
export function isOvertaken(error: unknown, code: 'turn_over' | 'version_conflict'): boolean {
  return error instanceof DomainError && error.code === code;
}
