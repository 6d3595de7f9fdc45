import { Logger } from '@nestjs/common';
import type { LiveBus, LiveSignal } from '../../core/ports.js';
import type { SessionEvent } from '../../core/session/events.js';
import { type Frame, liveFrame, storedFrame } from './frame.js';
import { Settled, settles } from './turn-outcome.js';

/** Somebody who wants to know what happens in a session. */
export interface Follower {
  /** Events that have just been read, in order; each event once. */
  stored(frames: readonly Frame[]): void;
  /** Something unsettled, as it goes over the wire. */
  live(text: string): void;
  /** Time to show that the connection stands. */
  beat(): void;
}

export interface TailOptions {
  readonly heartbeatMs: number;
  /** What is held back of deltas while a read is under way; more is dropped. */
  readonly bufferBytes: number;
}

type Delta = Extract<LiveSignal, { kind: 'delta' }>;

interface Held {
  readonly data: Delta['data'];
  readonly text: string;
}

const PAGE = 200;

/**
 * The end of one session's log, read once per news however many follow it. Hints say when to look; at every heartbeat it looks anyway, so a lost hint
 * costs a delay. Deltas that arrive during a read wait for its end: then order is the order of the bus.
 */
export class SessionTail {
  readonly #log = new Logger('Stream');
  readonly #followers = new Set<Follower>();
  readonly #settled = new Settled();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;
  #held: Held[] = [];
  #heldBytes = 0;
  #reading = false;
  #again = false;
  #closed = false;

  /** `position`: the seq up to which followers look after themselves. */
  constructor(
    sessionId: string,
    private readonly page: (after: number, limit: number) => Promise<readonly SessionEvent[]>,
    bus: Pick<LiveBus, 'subscribe'>,
    private readonly options: TailOptions,
    public position: number,
  ) {
    this.#unsubscribe = bus.subscribe(sessionId, (signal) => this.#hear(signal));
    this.#timer = setInterval(() => this.#beat(), options.heartbeatMs);
    this.#look();
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

  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    clearInterval(this.#timer);
    this.#followers.clear();
  }

  #hear(signal: LiveSignal): void {
    if (signal.kind === 'advanced') {
      if (!this.#reading && signal.events?.[0]?.seq === this.position + 1) return this.#take(signal.events);
      // Zero says that hints may have been lost.
      if (signal.seq > this.position || signal.seq === 0) this.#look();
      return;
    }
    const delta = { data: signal.data, text: liveFrame(signal.type, signal.data) };
    if (this.#reading) this.#hold(delta);
    else this.#pass(delta);
  }

  #beat(): void {
    this.#look();
    for (const follower of this.#followers) follower.beat();
  }

  #look(): void {
    if (this.#reading) this.#again = true;
    else void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      do {
        this.#again = false;
        while (await this.#readPage());
      } while (this.#again && !this.#closed);
    } catch (error) {
      this.#log.warn({ msg: 'The log could not be read; the next hint or heartbeat tries again.', err: error });
    }
    this.#reading = false;
    this.#release();
  }

  /** Whether there may be more. */
  async #readPage(): Promise<boolean> {
    const events = await this.page(this.position, PAGE);
    if (!this.#closed) this.#take(events);
    return events.length === PAGE && !this.#closed;
  }

  /** The next events of the log. */
  #take(events: readonly SessionEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    this.position = last.seq;
    let frames: Frame[] = [];
    for (const event of events) {
      // What came while the log was read belongs in front of the event that settles it; behind that it would have to be dropped.
      if (this.#held.length > 0 && settles(event)) {
        this.#deliver(frames);
        frames = [];
        this.#release();
      }
      this.#settled.add(event);
      frames.push(storedFrame(event));
    }
    this.#deliver(frames);
  }

  #deliver(frames: readonly Frame[]): void {
    if (frames.length > 0) for (const follower of this.#followers) follower.stored(frames);
  }

  #hold(delta: Held): void {
    if (this.#heldBytes + delta.text.length > this.options.bufferBytes) return;
    this.#heldBytes += delta.text.length;
    this.#held.push(delta);
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const delta of held) this.#pass(delta);
  }

  #pass({ data, text }: Held): void {
    if (this.#closed || this.#settled.covers(data)) return;
    for (const follower of this.#followers) follower.live(text);
  }
}
