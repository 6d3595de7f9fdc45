import { Injectable } from '@nestjs/common';
import type { SessionEvent } from '../../core/session/events.js';
import { SessionQueries } from '../../queries/session-queries.js';
import type { TurnView } from '../../queries/views.js';
import { EventStreams } from './event-streams.js';
import type { Frame } from './frame.js';
import type { Principal } from '../../core/session/principal.js';

/** Long polling: answers once the turn neither waits for its start nor runs, at the latest after the time asked for. */
@Injectable()
export class TurnWait {
  constructor(
    private readonly queries: SessionQueries,
    private readonly streams: EventStreams,
  ) {}

  /** `gone`: the client has left, so nobody waits. */
  async turn(principal: Principal, sessionId: string, turnId: string, seconds: number, gone: AbortSignal): Promise<TurnView> {
    const first = await this.queries.turn(principal, sessionId, turnId);
    if (seconds === 0 || !isUnderWay(first)) return first;
    let wake = (): void => {};
    let over = gone.aborted || this.streams.stopping.aborted;
    const end = (): void => {
      over = true;
      wake();
    };
    const stored = (frames: readonly Frame[]): void => {
      if (frames.some(({ event }) => isNewsOf(first, event))) wake();
    };
    const unfollow = this.streams.follow(principal.tenantId, sessionId, first.version, { stored, live: () => {}, beat: () => {} });
    const timer = setTimeout(end, seconds * 1000);
    for (const signal of [gone, this.streams.stopping]) signal.addEventListener('abort', end);
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        // CommandContextOf again after following, since it may have ended in between.
        const turn = await this.queries.turn(principal, sessionId, turnId);
        if (over || !isUnderWay(turn)) return turn;
        await woken;
      }
    } finally {
      clearTimeout(timer);
      for (const signal of [gone, this.streams.stopping]) signal.removeEventListener('abort', end);
      unfollow();
    }
  }
}

function isUnderWay({ status }: TurnView): boolean {
  return status === 'queued' || status === 'running';
}

function isNewsOf({ turnId, promptId }: TurnView, event: SessionEvent): boolean {
  switch (event.type) {
    case 'turn.completed':
    case 'turn.interrupted':
    case 'turn.failed':
    case 'turn.waiting':
      return event.data.turnId === turnId;
    case 'prompt.withdrawn':
      return event.data.promptId === promptId;
    default:
      return false;
  }
}
