import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { compactionLimits, type CompactionSettings } from '../../platform/config/limits.js';
import { canRepeatRefused } from '../../session/compaction/should-compact.js';
import { OUT_OF_WINDOW, outOfWindow } from '../../session/compaction/too-long.js';
import { Blobs, Clock, Digest, GateSource, Hooks, LiveBus, Model, type ModelDelta, type ModelRequest, Telemetry } from '../../ports/index.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { askedModels } from '../../../packages/protocol/request/asked-models.js';
import { Admission } from '../commands/admission.js';
import type { PrefixRecord, SentCompaction } from '../../../packages/protocol/events/events.js';
import { decide } from '../../session/decide/decide.js';
import { turnOver } from '../../session/decide/domain-errors.js';
import type { TurnCommand } from '../../session/state/commands.js';
import { applyUncommitted } from '../../session/state/apply-uncommitted.js';
import { askersOf } from '../../session/state/usage.js';
import { optionsInForce } from '../../session/state/options-in-force.js';
import type { SessionState } from '../../session/state/state.js';
import { REFUSAL } from '../../session/state/stop-reasons.js';
import { type BuiltPayload, type PayloadInput, buildPayload, NORMALIZER, sentMessages } from '../../../packages/normalizer/build-payload.js';
import { MissingBlob } from '../../../packages/protocol/message/block-sources.js';
import { enabledGates, type NormalizeGates } from '../../../packages/protocol/gates.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { requestBetas } from '../../../packages/normalizer/models/betas.js';
import { modelInForce } from '../../session/prompt/granted-by-commands.js';
import { PassFailure } from '../../../packages/normalizer/pass.js';
import { recordPrefix, type Sha256OfText } from '../../../packages/normalizer/prefix.js';
import { type RecordBase, recordBody } from '../../../packages/normalizer/record-body.js';
import type { SentMessages } from '../../../packages/normalizer/continue-payload.js';
import type { EmbeddedMessages } from '../../../packages/normalizer/embedded-messages.js';
import type { SentBody } from '../../../packages/protocol/request/sent-body.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import { payloadInput } from '../../session/payload/payload-input.js';
import { continues, recordedMessages } from '../queries/recorded-messages.js';
import { RequestLog } from '../queries/request-log.js';
import { InlineBlobs } from '../queries/inline-blobs.js';
import type { Preparation } from './prepare/prepare-turn.js';
import { InterruptWatch } from './interrupt-watch.js';
import { LiveAnswer } from './live-answer.js';
import { NormalizationCaches } from './normalization-caches.js';
import { RequestFailures } from './request-failures.js';
import { StandingContext } from './standing-context.js';
import { type ClaimedTurn, isOvertaken, TurnReports } from './turn-reports.js';
import { type ModelAnswer, ModelError } from '../../../packages/normalizer/models/model-answer.js';

/** Payloads above this size are built and recorded in separate iterations of the event loop. */
const LARGE_BYTES = 256 * 1024;

/** A report that is recorded together with the request that follows it: the turn's preparation, or the context that the conversation lacked. */
export interface Before {
  readonly report: Preparation | Extract<TurnCommand, { type: 'AddContext' }>;
  /** The session after it. */
  readonly ahead: SessionState;
  /** The session as it is. */
  readonly state: SessionState;
}

/** One request of a turn: builds the payload, records the request, streams the answer, records it. */
@Injectable()
export class CallModel {
  readonly #sha256: Sha256OfText = (text, bytes) => this.digest.sha256(text, bytes);
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
    private readonly failures: RequestFailures,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_TOOL_CALLS_PER_ANSWER' | 'REFUSED_PROMPTS' | 'MODEL_PROVIDER' | 'MAX_OUTPUT_TOKENS'> &
      CompactionSettings,
    private readonly caches: NormalizationCaches,
    private readonly standing: StandingContext,
    private readonly requests: RequestLog,
    blobs: Blobs,
    private readonly admission: Admission,
  ) {
    this.#bytes = new InlineBlobs(blobs);
  }

  /** `compaction`: the answer is a summary of the conversation. */
  async request(job: ClaimedTurn, state: SessionState, ordinal: number, signal: AbortSignal, compaction: SentCompaction | null = null): Promise<void> {
    const messages = await this.standing.missing(job, state, signal);
    if (messages.length === 0) {
      await this.#request(job, state, ordinal, signal, compaction, null);
      return;
    }
    const report = { type: 'AddContext' as const, turnId: job.turnId, messages };
    const ahead = applyUncommitted(state, decide(report, state));
    await this.#request(job, ahead, ordinal, signal, compaction, { report, ahead, state });
  }

  /** The first request of a turn, in one append with the turn's preparation. False when it could not be: nothing was recorded. */
  requestFirst(job: ClaimedTurn, before: Before, signal: AbortSignal): Promise<boolean> {
    return this.#request(job, before.ahead, 1, signal, null, before);
  }

  async #request(
    job: ClaimedTurn,
    state: SessionState,
    ordinal: number,
    signal: AbortSignal,
    compaction: SentCompaction | null,
    before: Before | null,
  ): Promise<boolean> {
    const requestId = this.clock.uuid();
    const onFirstDelta = compaction ? () => undefined : this.#firstDelta(state);
    const gates = await this.gates.snapshot(job.tenantId);
    const summary = compaction ? { summary: { requestId, ...compaction } } : {};
    const { MODEL_PROVIDER: provider, MAX_OUTPUT_TOKENS: maxTokens } = this.settings;
    const betas = this.#betas(state, gates);
    const built = await this.#build(job, state, before, () => payloadInput(state, { gates, betas, provider, maxTokens, ...summary }));
    if (!built) return false;
    const { input, view, at, prefix } = built;
    if (!(await this.#requireModels(job, state, view, before))) return false;
    // A summary is a side request: the next answer's request extends the one before it.
    const cache = this.caches.of(before?.state ?? state);
    // Files that are no longer cached are not held by the request either.
    if (!compaction && cache.embedded === built.embedded) cache.last = { requestId, sent: sentMessages(input, view) };
    const body = view.bytes;
    // Building a large payload and recording a large prompt take milliseconds each: other work runs between.
    if (body.length > LARGE_BYTES) await setImmediate();
    const send = {
      type: 'SendRequest' as const,
      turnId: job.turnId,
      request: {
        requestId,
        turnId: job.turnId,
        ordinal,
        at,
        model: view.payload.model,
        profile: view.profile,
        gates: enabledGates(gates),
        ...(betas.length > 0 ? { betas } : {}),
        normalizer: NORMALIZER,
        maxTokens: view.payload.max_tokens,
        digest: view.digest,
        bytes: body.length,
        prefix,
        body: built.record,
        ...(compaction ? { purpose: 'compaction' as const, compaction } : {}),
      },
    };
    const current = await this.#record(job, requestId, send, before);
    if (!current) return false;
    const started = this.clock.now();
    const overtaken = new AbortController();
    try {
      const answer = await this.watch.during(
        job,
        AbortSignal.any([signal, overtaken.signal]),
        (stop) =>
          this.#stream(
            job,
            { tenantId: job.tenantId, body, model: view.payload.model, requestId, ordinal, betas },
            compaction ? 'compaction' : 'answer',
            onFirstDelta,
            stop,
          ),
        ({ requests }) => {
          if (requests.get(requestId)?.status !== 'open') overtaken.abort(turnOver()); // closed by another worker
        },
      );
      if (answer.message.stop_reason === OUT_OF_WINDOW) throw outOfWindow(answer);
      await this.#recordAnswer(job, requestId, answer, started, compaction === null ? null : current, signal);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (overtaken.signal.aborted) throw overtaken.signal.reason;
      await this.failures.record(
        job,
        { requestId, input, error, started, state: current, failedBefore: current.turn?.failedAttempts ?? 0, isForSummary: compaction !== null },
        signal,
      );
    }
    return true;
  }

  /** Only Anthropic's own API has fallbacks, and the header that accepts them. */
  #betas(state: SessionState, gates: NormalizeGates): readonly string[] {
    const model = modelInForce(state);
    const isOwn = profileFor(model, this.settings.MODEL_PROVIDER).provider === 'anthropic';
    return requestBetas(this.model.betas, gates, model, isOwn ? optionsInForce(state) : {});
  }

  /** The session with the request; null: the preparation was based on a state that has changed, and nothing was recorded. */
  async #record(job: ClaimedTurn, requestId: string, send: TurnCommand, before: Before | null): Promise<SessionState | null> {
    if (!before) return (await this.reports.report(job, `send:${requestId}`, send)).state;
    try {
      return (await this.reports.report(job, `prepare-and-send:${requestId}`, before.report, send)).state;
    } catch (error) {
      if (isPreparation(before) && isOvertaken(error, 'version_conflict')) return null;
      throw error;
    }
  }

  /** Null: a blob of the conversation is missing, so its payload cannot be built; the turn has failed, unless its preparation is not recorded yet. */
  async #build(job: ClaimedTurn, state: SessionState, before: Before | null, make: () => PayloadInput): Promise<Built | null> {
    const cache = this.caches.of(before?.state ?? state);
    const { normalization, embedded, last } = cache;
    const build = (sent: SentMessages | null): Promise<Built> =>
      this.#bytes.with(
        job,
        make,
        (input, named) => {
          const view = buildPayload(input, this.#sha256, false, normalization, sent);
          this.caches.count(cache);
          const prefix = recordPrefix(state.lastSent?.digests ?? null, view.prefixDigests);
          return { input, view, at: state.version, prefix, embedded, record: this.#recorded(state, view, input, named, embedded) };
        },
        embedded,
      );
    try {
      const { request, conversation = null } = state.lastSent ?? {};
      if (last !== null && conversation !== null && last.requestId === request?.requestId) return this.#counted(await build(last.sent), 'sent');
      const whole = await build(null);
      const sent = await recordedMessages(state, whole.input, whole.view, this.requests.of(job));
      if (!sent) return this.#counted(whole, 'whole');
      const next = await build(sent);
      return continues(next.view, whole.view, sent, next.input) ? this.#counted(next, 'recorded') : this.#counted(whole, 'whole');
    } catch (error) {
      const code = error instanceof MissingBlob ? 'blob_missing' : error instanceof PassFailure ? 'normalization_failed' : null;
      if (code === null) throw error;
      if (before && isPreparation(before)) return null;
      await this.#fail(job, { code, message: (error as MissingBlob | PassFailure).message });
      return null;
    }
  }

  /** False: a model of the request may not be asked by who pays for the conversation or by who prompted, it or the session that it is a helper of, and the turn has failed, unless its preparation is not recorded yet. */
  async #requireModels(job: ClaimedTurn, state: SessionState, { bytes }: BuiltPayload, before: Before | null): Promise<boolean> {
    const { users, tokenId } = askersOf(state);
    let models: readonly string[] | null = null;
    const read = (): readonly string[] => (models ??= askedModels(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()));
    try {
      for (const userId of users) await this.admission.models({ tenantId: job.tenantId, userId, tokenId }, read);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'model_not_allowed') throw error;
      if (!before || !isPreparation(before)) await this.#fail(job, error);
      return false;
    }
  }

  async #fail(job: ClaimedTurn, { code, message }: { readonly code: string; readonly message: string }): Promise<void> {
    const at = this.clock.timestamp();
    await this.reports.report(job, code, { type: 'FailTurn', turnId: job.turnId, error: { code, message }, at, uuid: this.clock.uuid() });
  }

  #counted(built: Built, made: 'sent' | 'recorded' | 'whole'): Built {
    this.telemetry.count('payloads', { made: built.view.parts.continued ? made : 'whole' });
    return built;
  }

  #recorded(state: SessionState, view: BuiltPayload, input: PayloadInput, named: PayloadInput, embedded: EmbeddedMessages): SentBody {
    const recorded = {
      input,
      stored: named.messages,
      filesOf: (message: Message) => embedded.filesOf(message),
      isStored: (uuid: string) => state.messages.has(uuid),
    };
    return recordBody(view, recorded, baseOf(state));
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
    const answer = new LiveAnswer(this.live, { ...job, requestId: request.requestId }, purpose);
    const onDelta = (delta: ModelDelta): void => {
      if (!answer.hasStarted) onFirstDelta();
      answer.publish(delta);
    };
    return this.model.answer(request, onDelta, signal).finally(() => answer.end());
  }

  async #recordAnswer(
    job: ClaimedTurn,
    requestId: string,
    { message, providerRequestId }: ModelAnswer,
    started: number,
    /** The session, when the answer is a summary of it. */
    summarized: SessionState | null,
    process: AbortSignal,
  ): Promise<void> {
    const now = this.clock.now();
    const answer = { turnId: job.turnId, requestId, at: new Date(now).toISOString(), message, providerRequestId, durationMs: now - started };
    if (summarized) {
      const isRepeated = message.stop_reason === REFUSAL && canRepeatRefused(summarized, compactionLimits(this.settings));
      await this.reports.keep(job, `answer:${requestId}`, { type: 'RecordSummary', ...answer, compactionId: this.clock.uuid(), isRepeated }, process);
      return;
    }
    const configured = await this.hooks.configured(job.tenantId);
    const report = {
      ...{ type: 'RecordAnswer' as const, ...answer, uuid: this.clock.uuid() },
      maxToolCalls: this.settings.MAX_TOOL_CALLS_PER_ANSWER,
      keepsRefusedPrompt: this.settings.REFUSED_PROMPTS === 'keep',
      hasStopHooks: configured.some(({ event }) => event === 'Stop'),
    };
    await this.reports.keep(job, `answer:${requestId}`, report, process);
  }
}

/** Whether the caller can record the preparation by itself. */
const isPreparation = ({ report }: Before): boolean => report.type === 'PrepareTurn';

/** The request that the next one continues; null: there is none, or content of it was erased. */
function baseOf({ lastSent }: SessionState): RecordBase | null {
  if (!lastSent?.conversation) return null;
  const { request, conversation, digests } = lastSent;
  return { requestId: request.requestId, conversation, digests };
}

interface Built {
  readonly input: PayloadInput;
  readonly view: BuiltPayload;
  /** The session's version that it was built from. */
  readonly at: number;
  readonly prefix: PrefixRecord;
  readonly record: SentBody;
  /** The files of its messages. */
  readonly embedded: EmbeddedMessages;
}
