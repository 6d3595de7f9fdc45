import { Injectable, Logger } from '@nestjs/common';
import { Refusal } from '../core/errors.js';
import { Clock, JobQueue, SessionList, Sessions } from '../core/ports.js';
import { TurnReports } from './turn-reports.js';

const BATCH = 100;

/** Looks after turns that make no step: ones that should, in case their job was lost with it, and ones that wait for somebody who does not answer. */
@Injectable()
export class StalledTurns {
  readonly #log = new Logger(StalledTurns.name);
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly sessionList: SessionList,
    private readonly sessions: Sessions,
    private readonly queue: JobQueue,
    private readonly reports: TurnReports,
    private readonly clock: Clock,
  ) {}

  start(afterMs: number, answerWithinMs: number): void {
    const look = async (): Promise<void> => {
      await this.sweep(afterMs);
      await this.expire(answerWithinMs);
    };
    this.#timer = setInterval(() => {
      look().catch((error: unknown) => this.#log.warn(`stalled turns could not be looked for; trying again: ${String(error)}`));
    }, afterMs);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Puts turns without a step for so long back into the queue, each under the job it has: one whose job is still there is left alone. How many were found. */
  async sweep(afterMs: number): Promise<number> {
    const turns = await this.sessionList.stalled(this.clock.now() - afterMs, BATCH);
    for (const payload of turns) {
      const { turn } = await this.sessions.load(payload.tenantId, payload.sessionId);
      if (turn?.turnId === payload.turnId && turn.status === 'running') await this.queue.add([{ queue: 'turns', id: turn.job, payload }]);
    }
    return turns.length;
  }

  /** Has turns go on whose session nobody has touched for so long, though they wait for a client's results or a person's decision. How many were found. */
  async expire(answerWithinMs: number): Promise<number> {
    const now = this.clock.now();
    const before = now - answerWithinMs;
    const turns = await this.sessionList.stalled(before, BATCH, 'waiting');
    const at = new Date(now).toISOString();
    for (const job of turns) {
      const { version, updatedAt } = await this.sessions.load(job.tenantId, job.sessionId);
      if (updatedAt !== null && Date.parse(updatedAt) >= before) continue;
      const command = { type: 'ExpireCalls', turnId: job.turnId, waitedMs: answerWithinMs, at, uuid: this.clock.uuid() } as const;
      await this.reports.report(job, `expire:${version}`, command).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
    }
    return turns.length;
  }
}
