import { Injectable } from '@nestjs/common';
import type { SessionEvent } from '../../core/session/events.js';
import { SessionQueries } from '../../queries/session-queries.js';
import type { TurnView } from '../../queries/views.js';
import { EventStreams } from './event-streams.js';
import type { Batch } from './batch.js';
import type { Acting } from '../../core/access/principal.js';

/** Long polling: responds when the turn is neither queued nor running, or at the timeout. */
@Injectable()
export class TurnWait {
  constructor(
    private readonly queries: SessionQueries,
    private readonly streams: EventStreams,
  ) {}

  /** `gone`: aborted when the client disconnects. */
  async turn(principal: Acting, sessionId: string, turnId: string, seconds: number, gone: AbortSignal): Promise<TurnView> {
    const first = await this.queries.turn(principal, sessionId, turnId);
    if (seconds === 0 || !isActive(first)) return first;
    let wake = (): void => {};
    let finished = gone.aborted || this.streams.stopping.aborted;
    const end = (): void => {
      finished = true;
      wake();
    };
    const receive = ({ frames }: Batch): void => {
      if (frames.some(({ event }) => concerns(first, event))) wake();
    };
    const follower = { receive, heartbeat: () => {}, outdated: () => wake() };
    const unfollow = this.streams.follow(principal.tenantId, sessionId, first.version, follower);
    const timer = setTimeout(end, seconds * 1000);
    for (const signal of [gone, this.streams.stopping]) signal.addEventListener('abort', end);
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        // Read again after subscribing, because the turn may have ended in between.
        const turn = await this.queries.turn(principal, sessionId, turnId);
        if (finished || !isActive(turn)) return turn;
        await woken;
      }
    } finally {
      clearTimeout(timer);
      for (const signal of [gone, this.streams.stopping]) signal.removeEventListener('abort', end);
      unfollow();
    }
  }
}

function isActive({ status }: TurnView): boolean {
  return status === 'queued' || status === 'running';
}

function concerns({ turnId, promptId }: TurnView, event: SessionEvent): boolean {
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
