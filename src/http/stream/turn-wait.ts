import { Inject, Injectable } from '@nestjs/common';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { LiveBus, type LiveSignal } from '../../ports/index.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import type { TurnView } from '../../engine/queries/views.js';
import { EventStreams } from './event-streams.js';

/**
 * Long polling: responds when the turn is neither queued nor running, or at the timeout. The log is read once, after signals are received. Then a signal says that the turn is over:
 * the events of this process are in the folded session, so that only the end of a turn that ran in another process is read.
 */
@Injectable()
export class TurnWait {
  constructor(
    private readonly queries: SessionQueries,
    private readonly live: LiveBus,
    private readonly streams: EventStreams,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'STREAM_HEARTBEAT_MS'>,
  ) {}

  /** `gone`: aborted when the client disconnects. */
  async turn(principal: AuthorizedCaller, sessionId: string, turnId: string, seconds: number, gone: AbortSignal): Promise<TurnView> {
    const read = (): Promise<TurnView> => this.queries.turn(principal, sessionId, turnId);
    const known = (seq: number): TurnView | null => this.queries.knownTurn(principal, sessionId, turnId, seq);
    if (seconds === 0) return read();
    const heard = new Heard();
    const ends = AbortSignal.any([gone, this.streams.stopping]);
    const end = (): void => heard.end();
    const unsubscribe = this.live.subscribe(sessionId, (signal) => heard.add(signal), 'hints');
    const timers = [setTimeout(end, seconds * 1_000), setInterval(() => heard.missed(), this.settings.STREAM_HEARTBEAT_MS)];
    ends.addEventListener('abort', end);
    if (ends.aborted) end();
    try {
      await this.live.received(sessionId);
      heard.begin();
      let turn = await read();
      heard.only(turn);
      while (isActive(turn)) {
        const seq = await heard.next();
        if (seq === null) return known(turn.version) ?? turn;
        turn = (seq > 0 ? known(seq) : null) ?? (await read());
      }
      return turn;
    } finally {
      timers.forEach(clearTimeout);
      ends.removeEventListener('abort', end);
      unsubscribe();
    }
  }
}

/** What was heard of a turn since it was read last. */
class Heard {
  /** A version at which the turn may be over; 0: signals may have been missed. */
  #seq: number | null = null;
  #ended = false;
  #ids: readonly string[] | null = null;
  #wake = (): void => undefined;

  add(signal: LiveSignal): void {
    if (signal.kind !== 'advanced') return;
    const { seq, stopped } = signal;
    if (seq > 0 && stopped && this.#ids && !stopped.some((id) => this.#ids?.includes(id))) return;
    this.#seq = seq === 0 || this.#seq === 0 ? 0 : Math.max(seq, this.#seq ?? 0);
    this.#wake();
  }

  /** What was heard until now is in what is read from now on. */
  begin(): void {
    this.#seq = null;
  }

  missed(): void {
    this.#seq = 0;
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The turn was read: from now on only what concerns it counts. */
  only({ turnId, promptId, version }: TurnView): void {
    this.#ids = [turnId, promptId];
    if (this.#seq !== null && this.#seq > 0 && this.#seq <= version) this.#seq = null;
  }

  /** Null: the time is over. */
  async next(): Promise<number | null> {
    while (this.#seq === null && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    const seq = this.#ended ? null : this.#seq;
    this.#seq = null;
    return seq;
  }
}

/** A turn that waits for helpers alone runs again by itself. */
const isActive = ({ status, toolCalls }: TurnView): boolean =>
  status === 'queued' || status === 'running' || (status === 'waiting' && waitsForHelpers(toolCalls));

const waitsForHelpers = (calls: TurnView['toolCalls']): boolean =>
  calls.some(({ status }) => status === 'awaiting_helper') && !calls.some(({ status }) => status === 'awaiting_decision' || status === 'awaiting_client');
