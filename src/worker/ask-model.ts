import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/env.js';
import { Refusal } from '../core/errors.js';
import type { Json } from '../core/message/content.js';
import { Clock, Digest, GateSource, Hooks, type Job, Limits, LiveBus, Model, type ModelAnswer, ModelError } from '../core/ports.js';
import type { Failure } from '../core/session/events.js';
import { retryDelay } from '../core/session/retry.js';
import type { SessionState } from '../core/session/state.js';
import { type ApiViewInput, apiView, NORMALIZER } from '../core/view/api-view.js';
import { ViewMemory } from '../core/view/memory.js';
import { recordPrefix } from '../core/view/prefix.js';
import { refusedPart } from '../core/view/refusal.js';
import { viewOf } from '../core/view/view-of.js';
import { InterruptWatch } from './interrupt-watch.js';
import { SettleInterrupt } from './settle-interrupt.js';
import { TurnReports } from './turn-reports.js';

/** One request of a turn: payload, record, stream, record. */
@Injectable()
export class AskModel {
  readonly #sha256 = (text: string): string => this.digest.sha256(text);
  /** As long as a session's state is cached, its next request has less to do. */
  readonly #memories = new WeakMap<SessionState, ViewMemory>();

  constructor(
    private readonly reports: TurnReports,
    private readonly model: Model,
    private readonly gates: GateSource,
    private readonly limits: Limits,
    private readonly live: LiveBus,
    private readonly watch: InterruptWatch,
    private readonly clock: Clock,
    private readonly digest: Digest,
    private readonly hooks: Hooks,
    private readonly settleInterrupt: SettleInterrupt,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_TOOL_CALLS_PER_ANSWER'>,
  ) {}

  async run(job: Job['payload'], state: SessionState, ordinal: number, signal: AbortSignal): Promise<void> {
    const requestId = this.clock.uuid();
    const gates = await this.gates.snapshot(job.tenantId);
    const { maxOutputTokens } = this.limits;
    const input = viewOf(state, { gates, maxTokens: maxOutputTokens });
    const view = apiView(input, this.#sha256, false, this.#memoryOf(state));
    await this.reports.report(job, `send:${requestId}`, {
      type: 'SendRequest',
      turnId: job.turnId,
      request: {
        requestId,
        turnId: job.turnId,
        ordinal,
        at: state.version,
        model: view.payload.model,
        profile: view.profile,
        gates,
        normalizer: NORMALIZER,
        maxTokens: view.payload.max_tokens,
        digest: view.digest,
        bytes: Buffer.byteLength(view.body),
        prefix: recordPrefix(state.lastSent?.digests ?? null, view.prefixDigests),
      },
    });
    const started = this.clock.now();
    try {
      const answer = await this.watch.during(job, signal, (stop) => this.#stream(job, { body: view.body, requestId, ordinal }, stop));
      await this.#settled(job, requestId, answer, started);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      await this.#failed(job, { requestId, input, error, started, failedBefore: state.turn?.failedAttempts ?? 0 }, signal);
    }
  }

  #memoryOf(state: SessionState): ViewMemory {
    const memory = this.#memories.get(state) ?? new ViewMemory();
    this.#memories.set(state, memory);
    return memory;
  }

  #stream(job: Job['payload'], request: { body: string; requestId: string; ordinal: number }, signal: AbortSignal): Promise<ModelAnswer> {
    const { sessionId, turnId } = job;
    return this.model.answer(
      request,
      (delta) =>
        this.live.publish({ kind: 'delta', sessionId, type: 'message.delta', data: { turnId, requestId: request.requestId, ...delta } as unknown as Json }),
      signal,
    );
  }

  async #settled(job: Job['payload'], requestId: string, answer: ModelAnswer, started: number): Promise<void> {
    const at = this.clock.now();
    const configured = await this.hooks.configured(job.tenantId);
    await this.reports.report(job, `answer:${requestId}`, {
      type: 'RecordAnswer',
      turnId: job.turnId,
      requestId,
      uuid: this.clock.uuid(),
      closingUuid: this.clock.uuid(),
      at: new Date(at).toISOString(),
      message: answer.message,
      providerRequestId: answer.providerRequestId,
      durationMs: at - started,
      maxToolCalls: this.settings.MAX_TOOL_CALLS_PER_ANSWER,
      hasStopHooks: configured.some(({ event }) => event === 'Stop'),
    });
  }

  async #failed(job: Job['payload'], { requestId, input, error, started, failedBefore }: Failed, signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const { turnId } = job;
    const at = new Date(now).toISOString();
    if (error.code === 'aborted') {
      // Stopped with the whole process: the job is somebody else's now, who finds the request open and asks again.
      if (signal.aborted) throw error;
      return this.settleInterrupt.run(job, error.partial, now - started);
    }
    const refused = error.status === 400 || error.status === 413 ? refusedPart(error.status, error.message, apiView(input, this.#sha256).trace) : null;
    const wait = refused && failedBefore + 1 < this.limits.modelAttempts ? 0 : retryDelay(error, failedBefore, this.limits, (now % 1_000) / 1_000);
    await this.reports.report(job, `failure:${requestId}`, {
      type: 'RecordRequestFailure',
      turnId,
      requestId,
      error: failureOf(error),
      durationMs: now - started,
      retryAt: wait === null ? null : new Date(now + wait).toISOString(),
      refused,
      partial: error.partial,
      at,
      uuids: [this.clock.uuid(), this.clock.uuid()],
    });
  }
}

interface Failed {
  readonly requestId: string;
  /** What the request was made from. */
  readonly input: ApiViewInput;
  readonly error: ModelError;
  readonly started: number;
  /** Failures in a row before this one. */
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

/** The report was refused because the turn, or the session, has moved on; not a fault. */
export function isOvertaken(error: unknown, code: 'turn_over' | 'version_conflict'): boolean {
  return error instanceof Refusal && error.code === code;
}
