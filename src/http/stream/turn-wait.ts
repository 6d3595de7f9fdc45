import { Injectable } from '@nestjs/common';
import type { Principal } from '../../core/ports.js';
import { SessionQueries } from '../../queries/session-queries.js';
import type { TurnView } from '../../queries/views.js';
import { EventStreams } from './event-streams.js';
import type { Frame } from './frame.js';

const NEWS: ReadonlySet<string> = new Set(['turn.completed', 'turn.interrupted', 'turn.failed', 'turn.waiting']);

/** Long polling: answers once the turn no longer runs, at the latest after the time asked for. */
@Injectable()
export class TurnWait {
  constructor(
    private readonly queries: SessionQueries,
    private readonly streams: EventStreams,
  ) {}

  /** `gone`: the client has left, so nobody waits. */
  async turn(principal: Principal, sessionId: string, turnId: string, seconds: number, gone: AbortSignal): Promise<TurnView> {
    const first = await this.queries.turn(principal, sessionId, turnId);
    if (first.status !== 'running' || seconds === 0) return first;
    let wake = (): void => {};
    let over = gone.aborted || this.streams.stopping.aborted;
    const end = (): void => {
      over = true;
      wake();
    };
    const stored = (frames: readonly Frame[]): void => {
      if (frames.some(({ event }) => NEWS.has(event.type) && 'turnId' in event.data && event.data.turnId === turnId)) wake();
    };
    const unfollow = this.streams.follow(principal.tenantId, sessionId, first.version, { stored, live: () => {}, beat: () => {} });
    const timer = setTimeout(end, seconds * 1000);
    for (const signal of [gone, this.streams.stopping]) signal.addEventListener('abort', end);
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        // Asked again after following, since it may have ended in between.
        const turn = await this.queries.turn(principal, sessionId, turnId);
        if (turn.status !== 'running' || over) return turn;
        await woken;
      }
    } finally {
      clearTimeout(timer);
      for (const signal of [gone, this.streams.stopping]) signal.removeEventListener('abort', end);
      unfollow();
    }
  }
}
