import { Injectable, Logger } from '@nestjs/common';
import { Clock, type Job, LiveBus, SessionList, Sessions } from '../../ports/index.js';
import { OneOfMany } from './one-of-many.js';
import { isOvertaken, TurnReports } from '../turn/turn-reports.js';

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
    private readonly live: LiveBus,
  ) {}

  start(intervalMs: number, answerWithinMs: number): void {
    const oneOfMany = new OneOfMany(this.live);
    this.#timer = setInterval(() => {
      if (!oneOfMany.takes()) return;
      this.expire(answerWithinMs).catch((error: unknown) => this.#log.warn(`expired waits could not be searched for; retrying: ${String(error)}`));
    }, intervalMs);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Returns the number of turns found. */
  async expire(answerWithinMs: number): Promise<number> {
    const turns = await this.sessionList.expiredWaits(answerWithinMs, BATCH);
    for (const { updatedAt, ...turn } of turns) {
      await this.#expire(turn, updatedAt, answerWithinMs).catch((error: unknown) =>
        this.#log.warn(`an expired wait could not be ended; retrying: ${String(error)}`),
      );
    }
    return turns.length;
  }

  async #expire(turn: Job['payload'], updatedAt: string, waitedMs: number): Promise<void> {
    const state = await this.sessions.load(turn.tenantId, turn.sessionId);
    if ((state.updatedAt ?? '') > updatedAt) return; // answered since
    const command = { type: 'ExpireCalls', turnId: turn.turnId, waitedMs, at: this.clock.timestamp(), uuid: this.clock.uuid() } as const;
    await this.reports.report(turn, `expire:${state.version}`, command).catch((error: unknown) => {
      if (!isOvertaken(error, 'turn_over')) throw error;
    });
  }
}
