import { Injectable } from '@nestjs/common';
import { type Job, Sessions, Telemetry } from '../../ports/index.js';
import { type Correlation, correlationOf } from '../../session/state/correlation.js';

/** Runs the work on a turn within the trace and workload of the request that submitted its prompt. */
@Injectable()
export class TurnTrace {
  #running = 0;

  constructor(
    private readonly sessions: Sessions,
    private readonly telemetry: Telemetry,
  ) {}

  async during<T>(job: Job['payload'], work: () => Promise<T>): Promise<T> {
    const { tenantId, sessionId, turnId } = job;
    const { traceparent = null, ...cause } = await this.#correlationOf(job);
    this.#count(1);
    try {
      return await this.telemetry.within({ tenantId, sessionId, turnId, ...cause }, () =>
        this.telemetry.continued(traceparent, () => this.telemetry.span('turn', {}, work, 'consumer')),
      );
    } finally {
      this.#count(-1);
    }
  }

  /** The job of a requeued turn carries ids only; the rest is read from the log. */
  async #correlationOf({ tenantId, sessionId, turnId, promptId, workload, traceparent }: Job['payload']): Promise<Partial<Correlation>> {
    if (promptId !== undefined) {
      return { promptId, ...(workload === undefined ? {} : { workload }), ...(traceparent === undefined ? {} : { traceparent }) };
    }
    const state = await this.sessions.load(tenantId, sessionId);
    const prompt = state.prompts.get(state.turns.get(turnId)?.promptId ?? '');
    return prompt ? correlationOf(prompt.submission) : {};
  }

  #count(change: 1 | -1): void {
    this.#running += change;
    this.telemetry.gauge('turns_running', this.#running);
  }
}
