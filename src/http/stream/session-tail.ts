import { Logger } from '@nestjs/common';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { LiveBus, LiveSignal } from '../../ports/index.js';
import type { LiveFrame } from './stream-format.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { Batch, type BatchFrame } from './batch.js';
import { liveFrame, storedFrame } from './frame.js';
import { Ended, isEnd } from './turn-outcome.js';

/** Receives what happens in a session. */
export interface Follower {
  /** What happened in one tick: stored events, in order, each exactly once, and live frames. */
  receive(batch: Batch): void;
  /** Time for a keep-alive. */
  heartbeat(): void;
  /** The log contains an event of a newer release, which this process cannot read: nothing more is delivered here. */
  outdated(): void;
}

export interface TailOptions {
  readonly heartbeatMs: number;
  /** Most bytes of deltas buffered during a read of the log; more are dropped. */
  readonly bufferBytes: number;
}

const PAGE = 200;
/** A batch is delivered before the end of the tick when it has this many characters: readers may exceed their buffers by one batch. */
const BATCH_CHARACTERS = 16 * 1024;

/**
 * The tail of one session's log, read once for all followers. A notification triggers a read, and so does every heartbeat: a lost notification costs a delay.
 * Deltas that arrive during a read are buffered until it ends, so that they keep the order of the bus. What happens within one tick is delivered together, so
 * that a reader costs one write for it.
 */
export class SessionTail {
  readonly #log = new Logger('Stream');
  readonly #followers = new Set<Follower>();
  readonly #ended = new Ended();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;
  #buffered: LiveFrame[] = [];
  #bufferedBytes = 0;
  /** What is delivered at the end of the tick. */
  #frames: BatchFrame[] = [];
  #frameCharacters = 0;
  #delivery: NodeJS.Immediate | null = null;
  /** From the beginning: first, when signals are received. */
  #reading = true;
  #pollAgain = false;
  #closed = false;

  /** `position`: followers replay the log up to this seq on their own. */
  constructor(
    sessionId: string,
    private readonly page: (after: number, limit: number) => Promise<readonly SessionEvent[]>,
    bus: Pick<LiveBus, 'subscribe' | 'received'>,
    private readonly options: TailOptions,
    public position: number,
  ) {
    this.#unsubscribe = bus.subscribe(sessionId, (signal) => this.#onSignal(signal));
    this.#timer = setInterval(() => this.#heartbeat(), options.heartbeatMs);
    void bus.received(sessionId).then(() => (this.#closed ? undefined : this.#read()));
  }

  get size(): number {
    return this.#followers.size;
  }

  follow(follower: Follower): void {
    this.#followers.add(follower);
  }

  unfollow(follower: Follower): void {
    this.#followers.delete(follower);
  }

  /** Whether the request or turn of the delta has ended in the log. */
  hasEnded(frame: LiveFrame): boolean {
    return this.#ended.covers(frame.data);
  }

  /** Delivers what has happened in this tick without waiting for its end. */
  flush(): void {
    this.#deliver();
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    clearInterval(this.#timer);
    if (this.#delivery) clearImmediate(this.#delivery);
    this.#followers.clear();
  }

  #onSignal(signal: LiveSignal): void {
    if (signal.kind === 'advanced') {
      if (!this.#reading && signal.events?.[0]?.seq === this.position + 1) return this.#accept(signal.events);
      // Zero: notifications may have been lost.
      if (signal.seq > this.position || signal.seq === 0) this.#poll();
      return;
    }
    const delta = { type: signal.type, data: signal.data, text: liveFrame(signal.type, signal.data) };
    if (this.#reading) this.#buffer(delta);
    else this.#deliverLive(delta);
  }

  #heartbeat(): void {
    this.#poll();
    for (const follower of this.#followers) follower.heartbeat();
  }

  #poll(): void {
    if (this.#reading) this.#pollAgain = true;
    else void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      do {
        this.#pollAgain = false;
        while (await this.#readPage());
      } while (this.#pollAgain && !this.#closed);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'server_outdated') {
        this.#deliver();
        for (const follower of this.#followers) follower.outdated();
      }
      this.#log.warn({ msg: 'The log could not be read; the next notification or heartbeat retries.', err: error });
    }
    this.#reading = false;
    this.#flushBuffered();
  }

  /** Returns whether there may be more. */
  async #readPage(): Promise<boolean> {
    const events = await this.page(this.position, PAGE);
    if (!this.#closed) this.#accept(events);
    return events.length === PAGE && !this.#closed;
  }

  /** Accepts the next events of the log. */
  #accept(events: readonly SessionEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    this.position = last.seq;
    for (const event of events) {
      // Buffered deltas precede the event that ends their request or turn; after it they would be dropped.
      if (this.#buffered.length > 0 && isEnd(event)) this.#flushBuffered();
      this.#ended.add(event);
      this.#add(storedFrame(event));
    }
  }

  #add(frame: BatchFrame): void {
    this.#frames.push(frame);
    this.#frameCharacters += frame.text.length;
    if (this.#frameCharacters >= BATCH_CHARACTERS) this.#deliver();
    else this.#delivery ??= setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    if (this.#delivery) clearImmediate(this.#delivery);
    this.#delivery = null;
    if (this.#frames.length === 0) return;
    const batch = new Batch(this.#frames);
    this.#frames = [];
    this.#frameCharacters = 0;
    for (const follower of this.#followers) follower.receive(batch);
  }

  #buffer(delta: LiveFrame): void {
    if (this.#bufferedBytes + delta.text.length > this.options.bufferBytes) return;
    this.#bufferedBytes += delta.text.length;
    this.#buffered.push(delta);
  }

  #flushBuffered(): void {
    const buffered = this.#buffered;
    this.#buffered = [];
    this.#bufferedBytes = 0;
    for (const delta of buffered) this.#deliverLive(delta);
  }

  #deliverLive(frame: LiveFrame): void {
    if (this.#closed || this.hasEnded(frame)) return;
    this.#add(frame);
  }
}
