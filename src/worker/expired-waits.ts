import { Injectable, Logger } from '@nestjs/common';
import { DomainError } from '../core/errors.js';
import { Clock, SessionList, Sessions } from '../core/ports.js';
import { TurnReports } from './turn-reports.js';

const BATCH = 100;

/** Resumes turns that have waited too long for a client's tool results or a user's decision. */
@Injectable()
export class ExpiredWaits {
  readonly #log = new Logger(ExpiredWaits.name);
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly sessionList: SessionList,
    private readonly sessions: Sessions,
    private readonly reports: TurnReports,
    private readonly clock: Clock,
  ) {}

  start(intervalMs: number, answerWithinMs: number): void {
    this.#timer = setInterval(() => {
      this.expire(answerWithinMs).catch((error: unknown) => this.#log.warn(`expired waits could not be searched for; retrying: ${String(error)}`));
    }, intervalMs);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Returns the number of turns found. */
  async expire(answerWithinMs: number): Promise<number> {
    const now = this.clock.now();
    const before = now - answerWithinMs;
    const turns = await this.sessionList.forgotten(before, BATCH);
    const at = new Date(now).toISOString();
    for (const job of turns) {
      const { version, updatedAt } = await this.sessions.load(job.tenantId, job.sessionId);
      if (updatedAt !== null && Date.parse(updatedAt) >= before) continue;
      const command = { type: 'ExpireCalls', turnId: job.turnId, waitedMs: answerWithinMs, at, uuid: this.clock.uuid() } as const;
      await this.reports.report(job, `expire:${version}`, command).catch((error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
      });
    }
    return turns.length;
  }
}
