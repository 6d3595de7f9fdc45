import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { compactionLimits, type CompactionSettings } from '../../platform/config/limits.js';
import { canReduceSummaryInput, canCompact, PROMPT_TOO_LONG } from '../../session/compaction/should-compact.js';
import { isTooLong } from '../../session/compaction/too-long.js';
import { retryDelay } from '../../session/decide/retry.js';
import type { ModelError } from '../../../packages/normalizer/models/model-answer.js';
import type { PayloadInput } from '../../../packages/normalizer/build-payload.js';
import { rejectedMessage } from '../../../packages/normalizer/passes/drop-rejected-media.js';
import { rejectedParts } from '../../../packages/normalizer/provider-rejection.js';
import { Clock } from '../../ports/index.js';
import type { Failure } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../../session/state/state.js';
import { RequestLog } from '../queries/request-log.js';
import type { SentView } from '../queries/sent-requests.js';
import { FinishInterrupt } from './finish-interrupt.js';
import { type ClaimedTurn, TurnReports } from './turn-reports.js';

export interface FailedRequest {
  readonly requestId: string;
  /** The input of the payload. */
  readonly input: PayloadInput;
  readonly error: ModelError;
  readonly started: number;
  /** As of the request, or later: only this turn can have changed it. */
  readonly state: SessionState;
  readonly isForSummary: boolean;
  /** Consecutive failures before this one. */
  readonly failedBefore: number;
}

/** Records the failure of a request, and whether it is repeated: after a pause, without the block that the provider rejected, or after a compaction. */
@Injectable()
export class RequestFailures {
  constructor(
    private readonly reports: TurnReports,
    private readonly clock: Clock,
    private readonly requests: RequestLog,
    private readonly finishInterrupt: FinishInterrupt,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL_ATTEMPTS' | 'MODEL_RETRY_MAX_MS'> & CompactionSettings,
  ) {}

  async record(job: ClaimedTurn, { requestId, input, error, started, state, failedBefore, isForSummary }: FailedRequest, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const { turnId } = job;
    const at = new Date(now).toISOString();
    if (error.code === 'aborted') {
      // This worker stops or has lost the job: the next one finds the request open and repeats it.
      if (signal.aborted) throw error;
      return this.finishInterrupt.finish(job, isForSummary ? null : error.partial, now - started);
    }
    const sent = error.status === 400 || error.status === 413 ? await this.#sent(job, state, requestId) : null;
    const tooLong = isTooLong(error, sent);
    const { MODEL_ATTEMPTS: modelAttempts, MODEL_RETRY_MAX_MS: modelRetryMaxMs } = this.settings;
    const compaction = compactionLimits(this.settings);
    const rejected = (sent && !tooLong ? rejectedParts(error, sent, input.messages) : []).flatMap((part) => {
      // An error that is about no message would recur on a retry.
      const about = rejectedMessage(input.messages, part);
      return about === null ? [] : [{ error: part, message: about.uuid }];
    });
    const mayRepeat = tooLong
      ? isForSummary
        ? canReduceSummaryInput(state, compaction)
        : canCompact(state, compaction)
      : rejected.length > 0 && failedBefore + 1 < modelAttempts;
    const wait = mayRepeat ? 0 : tooLong ? null : retryDelay(error, failedBefore, { modelAttempts, modelRetryMaxMs }, (now % 1_000) / 1_000);
    await this.reports.report(job, `failure:${requestId}`, {
      type: 'RecordRequestFailure',
      turnId,
      requestId,
      error: tooLong ? { ...failureOf(error), code: PROMPT_TOO_LONG } : failureOf(error),
      durationMs: now - started,
      retryAt: wait === null ? null : new Date(now + wait).toISOString(),
      rejected: isForSummary ? [] : rejected,
      partial: isForSummary ? null : error.partial,
      at,
      seed: this.clock.uuid(),
    });
  }

  /** What the provider rejected; null: content of it was erased meanwhile. */
  async #sent(job: ClaimedTurn, state: SessionState, requestId: string): Promise<SentView | null> {
    const view = await this.requests.of(job).earlier(state, requestId);
    return 'fault' in view ? null : view;
  }
}

function failureOf(error: ModelError): Failure {
  return {
    code: error.code,
    message: error.message,
    ...(error.details ? { errorCode: error.details.errorCode } : {}),
    ...(error.status === null ? {} : { status: error.status }),
    ...(error.providerRequestId === null ? {} : { providerRequestId: error.providerRequestId }),
  };
}
