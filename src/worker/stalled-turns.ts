import { Injectable, Logger } from '@nestjs/common';
import { Clock, JobQueue, SessionList, Sessions } from '../core/ports.js';
import { turnJob } from '../core/session/turn-jobs.js';

const BATCH = 100;

/** Puts turns that have made no step for a while back into the queue, in case their job was lost with it. A turn that still has one is left alone. */
@Injectable()
export class StalledTurns {
  readonly #log = new Logger(StalledTurns.name);
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly sessionList: SessionList,
    private readonly sessions: Sessions,
    private readonly queue: JobQueue,
    private readonly clock: Clock,
  ) {}

  start(afterMs: number): void {
    this.#timer = setInterval(() => {
      this.sweep(afterMs).catch((error: unknown) => this.#log.warn(`stalled turns could not be looked for; trying again: ${String(error)}`));
    }, afterMs);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** How many turns were found. */
  async sweep(afterMs: number): Promise<number> {
    const turns = await this.sessionList.stalled(this.clock.now() - afterMs, BATCH);
    for (const payload of turns) {
      const { turn } = await this.sessions.load(payload.tenantId, payload.sessionId);
      if (turn?.turnId === payload.turnId && turn.status === 'running') await this.queue.add([{ queue: 'turns', id: turnJob(turn.turnId, turn.stretch), payload }]);
    }
    return turns.length;
  }
}
