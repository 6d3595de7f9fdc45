import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/env.js';
import { compactionLimits, type CompactionSettings } from '../config/limits.js';
import { canReduceSummaryInput, canCompact, PROMPT_TOO_LONG } from '../core/compaction/should-compact.js';
import { isTooLong, OUT_OF_WINDOW, outOfWindow } from '../core/compaction/too-long.js';
import { DomainError } from '../core/errors.js';
import type { Json } from '../core/message/content.js';
import { Blobs, Clock, Digest, GateSource, Hooks, LiveBus, Model, type ModelRequest, Telemetry } from '../core/ports.js';
import type { Failure, PrefixRecord, SentCompaction } from '../core/session/events.js';
import { turnOver } from '../core/decide/domain-errors.js';
import { retryDelay } from '../core/decide/retry.js';
import type { SessionState } from '../core/session/state.js';
import { type BuiltPayload, type PayloadInput, buildPayload, NORMALIZER } from '../core/normalize/build-payload.js';
import { MissingBlob } from '../core/normalize/embedded-messages.js';
import { requestBetas } from '../core/models/betas.js';
import { PassFailure } from '../core/normalize/pass.js';
import { recordPrefix } from '../core/normalize/prefix.js';
import { rejectedMessage } from '../core/normalize/passes/drop-rejected-media.js';
import { rejectedPart } from '../core/normalize/provider-rejection.js';
import { payloadInput } from '../core/normalize/payload-input.js';
import { InlineBlobs } from '../queries/inline-blobs.js';
import { InterruptWatch } from './interrupt-watch.js';
import { NormalizationCaches } from './normalization-caches.js';
import { FinishInterrupt } from './finish-interrupt.js';
import { type ClaimedTurn, TurnReports } from './turn-reports.js';
import { type ModelAnswer, ModelError } from '../core/models/model-answer.js';

/** One request of a turn: builds the payload, records the request, streams the answer, records it. */
@Injectable()
export class CallModel {
  readonly #sha256 = (text: string): string => this.digest.sha256(text);
  readonly #bytes: InlineBlobs;

  constructor(
    private readonly reports: TurnReports,
    private readonly model: Model,
    private readonly gates: GateSource,
    private readonly live: LiveBus,
    private readonly watch: InterruptWatch,
    private readonly clock: Clock,
    private readonly digest: Digest,
    private readonly telemetry: Telemetry,
    private readonly hooks: Hooks,
    private readonly finishInterrupt: FinishInterrupt,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_TOOL_CALLS_PER_ANSWER' | 'MODEL_PROVIDER' | 'MODEL_ATTEMPTS' | 'MODEL_RETRY_MAX_MS'> &
      CompactionSettings,
    private readonly caches: NormalizationCaches,
    blobs: Blobs,
  ) {
    this.#bytes = new InlineBlobs(blobs);
  }

  /** `compaction`: the answer is a summary of the conversation. */
  async request(job: ClaimedTurn, state: SessionState, ordinal: number, signal: AbortSignal, compaction?: SentCompaction): Promise<void> {
    const requestId = this.clock.uuid();
    const onFirstDelta = compaction ? () => undefined : this.#firstDelta(state);
    const gates = await this.gates.snapshot(job.tenantId);
    const betas = requestBetas(this.model.betas, gates);
    const summary = compaction ? { summary: { requestId, ...compaction } } : {};
    const built = await this.#build(job, state, () =>
      payloadInput(state, { gates, betas, provider: this.settings.MODEL_PROVIDER, maxTokens: this.settings.MAX_OUTPUT_TOKENS, ...summary }),
    );
    if (!built) return;
    const { input, view, at, prefix } = built;
    await this.reports.report(job, `send:${requestId}`, {
      type: 'SendRequest',
      turnId: job.turnId,
      request: {
        requestId,
        turnId: job.turnId,
        ordinal,
        at,
        model: view.payload.model,
        profile: view.profile,
        gates,
        ...(betas.length > 0 ? { betas } : {}),
        normalizer: NORMALIZER,
        maxTokens: view.payload.max_tokens,
        digest: view.digest,
        bytes: Buffer.byteLength(view.body),
        prefix,
        ...(compaction ? { purpose: 'compaction' as const, compaction } : {}),
      },
    });
    const started = this.clock.now();
    const overtaken = new AbortController();
    try {
      const answer = await this.watch.during(
        job,
        AbortSignal.any([signal, overtaken.signal]),
        (stop) =>
          this.#stream(
            job,
            { body: view.body, model: view.payload.model, requestId, ordinal, betas },
            compaction ? 'compaction' : 'answer',
            onFirstDelta,
            stop,
          ),
        ({ requests }) => {
          if (requests.get(requestId)?.status !== 'open') overtaken.abort(turnOver()); // closed by another worker
        },
      );
      if (answer.message.stop_reason === OUT_OF_WINDOW) throw outOfWindow(answer);
      await this.#recordAnswer(job, requestId, answer, started, compaction !== undefined);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (overtaken.signal.aborted) throw overtaken.signal.reason;
      await this.#recordFailure(
        job,
        { requestId, input, error, started, state, failedBefore: state.turn?.failedAttempts ?? 0, isForSummary: compaction !== undefined },
        signal,
      );
    }
  }

  /** Null: a blob of the conversation is missing, so its payload cannot be built; the turn has failed. */
  async #build(job: ClaimedTurn, state: SessionState, make: () => PayloadInput): Promise<Built | null> {
    const cache = this.caches.of(state);
    const { normalization, embedded } = cache;
    try {
      return await this.#bytes.with(
        job,
        make,
        (input) => {
          const view = buildPayload(input, this.#sha256, false, normalization);
          this.caches.count(cache);
          return { input, view, at: state.version, prefix: recordPrefix(state.lastSent?.digests ?? null, view.prefixDigests) };
        },
        embedded,
      );
    } catch (error) {
      const code = error instanceof MissingBlob ? 'blob_missing' : error instanceof PassFailure ? 'normalization_failed' : null;
      if (code === null) throw error;
      const { message } = error as MissingBlob | PassFailure;
      const at = this.clock.timestamp();
      await this.reports.report(job, code, {
        type: 'FailTurn',
        turnId: job.turnId,
        error: { code, message },
        at,
        uuid: this.clock.uuid(),
      });
      return null;
    }
  }

  /** Observes the time from submission to the first delta of the turn's first answer. Summaries do not count as answers. */
  #firstDelta({ turn, prompts, requests }: SessionState): () => void {
    const accepted = prompts.get(turn?.promptId ?? '')?.submittedAt;
    const isLaterRequest = turn?.requestIds.some((id) => requests.get(id)?.sent.purpose !== 'compaction');
    if (!turn || isLaterRequest || accepted === undefined) return () => undefined;
    const queued = accepted === turn.startedAt ? 'no' : 'yes';
    return () => this.telemetry.observe('first_delta_seconds', { queued }, (this.clock.now() - Date.parse(accepted)) / 1000);
  }

  #stream(job: ClaimedTurn, request: ModelRequest, purpose: 'answer' | 'compaction', onFirstDelta: () => void, signal: AbortSignal): Promise<ModelAnswer> {
    const { sessionId, turnId } = job;
    let hasStarted = false;
    // `purpose` lets clients that render deltas tell a summary from an answer.
    const about = { turnId, requestId: request.requestId, ...(purpose === 'answer' ? {} : { purpose }) };
    return this.model.answer(
      request,
      (delta) => {
        if (!hasStarted) onFirstDelta();
        hasStarted = true;
        this.live.publish({ kind: 'delta', sessionId, type: 'message.delta', data: { ...about, ...delta } as unknown as Json });
      },
      signal,
    );
  }

  async #recordAnswer(job: ClaimedTurn, requestId: string, { message, providerRequestId }: ModelAnswer, started: number, isForSummary: boolean): Promise<void> {
    const now = this.clock.now();
    const answer = { turnId: job.turnId, requestId, at: new Date(now).toISOString(), message, providerRequestId, durationMs: now - started };
    if (isForSummary) {
      await this.reports.report(job, `answer:${requestId}`, { type: 'RecordSummary', ...answer, compactionId: this.clock.uuid() });
      return;
    }
    const configured = await this.hooks.configured(job.tenantId);
    await this.reports.report(job, `answer:${requestId}`, {
      type: 'RecordAnswer',
      ...answer,
      uuid: this.clock.uuid(),
      maxToolCalls: this.settings.MAX_TOOL_CALLS_PER_ANSWER,
      hasStopHooks: configured.some(({ event }) => event === 'Stop'),
    });
  }

  async #recordFailure(job: ClaimedTurn, { requestId, input, error, started, state, failedBefore, isForSummary }: Failed, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const { turnId } = job;
    const at = new Date(now).toISOString();
    if (error.code === 'aborted') {
      // This worker stops or has lost the job: the next one finds the request open and repeats it.
      if (signal.aborted) throw error;
      return this.finishInterrupt.finish(job, isForSummary ? null : error.partial, now - started);
    }
    const sent = error.status === 400 || error.status === 413 ? buildPayload(input, this.#sha256) : null;
    const tooLong = isTooLong(error, sent);
    const { MODEL_ATTEMPTS: modelAttempts, MODEL_RETRY_MAX_MS: modelRetryMaxMs } = this.settings;
    const compaction = compactionLimits(this.settings);
    const rejected = sent && !tooLong ? rejectedPart(error.status, error.message, sent, input.messages) : null;
    // An error that is about no message would recur on a retry.
    const about = rejected === null ? null : rejectedMessage(input.messages, rejected);
    const mayRepeat = tooLong
      ? isForSummary
        ? canReduceSummaryInput(state, compaction)
        : canCompact(state, compaction)
      : about !== null && failedBefore + 1 < modelAttempts;
    const wait = mayRepeat ? 0 : tooLong ? null : retryDelay(error, failedBefore, { modelAttempts, modelRetryMaxMs }, (now % 1_000) / 1_000);
    await this.reports.report(job, `failure:${requestId}`, {
      type: 'RecordRequestFailure',
      turnId,
      requestId,
      error: tooLong ? { ...failureOf(error), code: PROMPT_TOO_LONG } : failureOf(error),
      durationMs: now - started,
      retryAt: wait === null ? null : new Date(now + wait).toISOString(),
      rejected: isForSummary || rejected === null || about === null ? null : { error: rejected, message: about.uuid },
      partial: isForSummary ? null : error.partial,
      at,
      seed: this.clock.uuid(),
    });
  }
}

interface Built {
  readonly input: PayloadInput;
  readonly view: BuiltPayload;
  /** The session's version that it was built from. */
  readonly at: number;
  readonly prefix: PrefixRecord;
}

interface Failed {
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

function failureOf(error: ModelError): Failure {
  return {
    code: error.code,
    message: error.message,
    ...(error.status === null ? {} : { status: error.status }),
    ...(error.providerRequestId === null ? {} : { providerRequestId: error.providerRequestId }),
  };
}

/** The report was rejected because the turn or the session has moved on; not an error. */
export function isOvertaken(error: unknown, code: 'turn_over' | 'version_conflict'): boolean {
  return error instanceof DomainError && error.code === code;
}
