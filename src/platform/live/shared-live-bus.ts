import { randomUUID } from 'node:crypto';
import { LiveBus, type LiveSignal, unfinishedSession } from '../../ports/index.js';
import { FrameReader } from './frames.js';
import { Interests } from './interests.js';
import { LocalFanout } from './local-fanout.js';
import { Membership } from './membership.js';
import { type Message, parseBatch, parseDeltas } from './message.js';
import { Sender } from './sender.js';
import { ALL, areDeltas, deltasOf, hintsOf } from './topics.js';
import type { Transport } from './transport.js';

/** What a process has received from others: hints, and deltas for its own readers; both were parsed. `others`: deltas of sessions without readers here, which were not. */
export type Received = 'hint' | 'delta' | 'others';

export interface LiveBusOptions {
  /** Receives every error; none is thrown. */
  readonly report: (problem: string, error: unknown) => void;
  /** Sessions and other channels are spread over this many subscriptions. */
  readonly buckets?: number;
  /** The maximum size of unsent deltas in bytes; past that the oldest are dropped. */
  readonly bufferBytes?: number;
  /** The minimum time between two batches, in milliseconds. */
  readonly batchMs?: number;
  /** The interval of heartbeats, in milliseconds. */
  readonly heartbeatMs?: number;
  /** Whether this process does the work that one of all has to do, and may lead. */
  readonly isWorker?: boolean;
}

export const DEFAULT_BUCKETS = 64;

/** Others hear that some log has grown at most this often. */
const GROWN_MS = 250;

/**
 * The live bus of one process among several: its own listeners receive a signal at once, the other processes with the next batch, if they have listeners in the same bucket.
 * A lost connection costs delay and deltas, never a hint: after each gap every subscriber gets `advanced` with seq 0, which means that signals may have been missed.
 */
export class SharedLiveBus extends LiveBus {
  readonly #self = randomUUID();
  readonly #isWorker: boolean;
  readonly #buckets: number;
  readonly #fanout: LocalFanout;
  readonly #interests: Interests;
  readonly #sender: Sender;
  readonly #membership: Membership;
  readonly #reader = new FrameReader();
  readonly #report: LiveBusOptions['report'];
  readonly #heartbeat: NodeJS.Timeout;
  #growth: NodeJS.Timeout | null = null;
  #hasGrown = false;
  #closed = false;
  #count: (what: Received, by: number) => void = () => undefined;
  #onceListening: () => void = () => undefined;
  readonly #listening = new Promise<void>((resolve) => (this.#onceListening = resolve));

  constructor(
    private readonly transport: Transport,
    options: LiveBusOptions,
  ) {
    super();
    const { report, buckets = DEFAULT_BUCKETS, bufferBytes = 4 * 1024 * 1024, batchMs = 5, heartbeatMs = 5_000, isWorker = true } = options;
    this.#isWorker = isWorker;
    this.#buckets = buckets;
    this.#report = report;
    this.#fanout = new LocalFanout(report);
    this.#interests = new Interests(transport, (topic) => this.#arrived(topic));
    this.#membership = new Membership({ id: this.#self, isWorker, buckets }, heartbeatMs);
    this.#sender = new Sender(transport, { self: this.#self, report, bufferBytes, batchMs, buckets: () => this.#membership.buckets });
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(), heartbeatMs).unref();
    const onFrame = (topic: string, frame: string): void => this.#receive(topic, frame);
    transport.listen({ onListening: () => this.#startListening(), onLost: (error) => this.#stopListening(error), onFrame }, ALL);
  }

  /** Resolves when this process receives messages for the first time. */
  listening(): Promise<void> {
    return this.#listening;
  }

  /** The number of current subscriptions. */
  get subscribers(): number {
    return this.#fanout.size;
  }

  /** Whether no other process is known to listen; then nothing is sent. */
  get alone(): boolean {
    return this.#membership.alone;
  }

  /** The number of topics that are received, besides the one for all. */
  get topics(): number {
    return this.#interests.size;
  }

  /** `count` hears what is received from other processes. */
  onReceived(count: (what: Received, by: number) => void): void {
    this.#count = count;
  }

  publish(signal: LiveSignal): void {
    this.#fanout.deliver(signal);
    if (this.#membership.alone) return;
    this.#sender.publish(signal);
    if (signal.kind === 'advanced' && !unfinishedSession(signal.sessionId)) this.#announceGrowth();
  }

  override get rank(): number {
    return this.#membership.rank;
  }

  notify(): void {
    this.#fanout.notify();
  }

  subscribe(channel: string, listener: (signal: LiveSignal) => void, only?: 'hints'): () => void {
    const ends = [this.#fanout.subscribe(channel, listener), ...this.#topicsOf(channel, only).map((topic) => this.#interests.hold(topic))];
    return () => ends.forEach((end) => end());
  }

  override async received(channel: string): Promise<void> {
    if (!this.#membership.alone) await Promise.all(this.#topicsOf(channel).map((topic) => this.#interests.received(topic)));
  }

  onNotify(listener: () => void): () => void {
    return this.#fanout.onNotify(listener);
  }

  async ping(): Promise<void> {
    await this.transport.ping();
  }

  /** Sends the buffered messages within a bounded time and closes both connections. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#heartbeat);
    if (this.#growth) clearTimeout(this.#growth);
    this.#sender.send(['bye']);
    await this.#sender.close();
    await this.transport.close();
  }

  #topicsOf(channel: string, only?: 'hints'): readonly string[] {
    const hints = hintsOf(channel, this.#buckets);
    if (hints === ALL) return []; // always received
    return only === 'hints' ? [hints] : [hints, deltasOf(channel, this.#buckets)];
  }

  #startListening(): void {
    this.#membership.startListening();
    this.#sender.send(['hello', this.#isWorker, this.#buckets]);
    this.#sender.retryNow();
    this.#onceListening();
    this.#fanout.wake();
  }

  #stopListening(error: unknown): void {
    this.#membership.stopListening();
    this.#reader.reset();
    this.#report('Live updates of the other processes are not received; reconnecting', error);
  }

  /** Nobody was there to send what this process has not received until now. */
  #arrived(topic: string): void {
    if (!this.#closed && !this.#membership.alone && !areDeltas(topic)) this.#fanout.wake((channel) => hintsOf(channel, this.#buckets) === topic);
  }

  #sendHeartbeat(): void {
    const { isReceivingStale, isDue } = this.#membership.tick();
    this.#interests.tick();
    if (isReceivingStale) this.transport.reconnectListener();
    if (isDue) this.#sayHere();
  }

  #sayHere(wasAlone = false): void {
    const terms = ['here', this.#isWorker, this.#buckets, this.#membership.statePace()] as const;
    this.#sender.send(wasAlone ? [...terms, true] : terms);
  }

  #announceGrowth(): void {
    if (this.#growth) {
      this.#hasGrown = true;
      return;
    }
    this.#sender.send(['grown']);
    this.#growth = setTimeout(() => {
      this.#growth = null;
      const again = this.#hasGrown;
      this.#hasGrown = false;
      if (again) this.#announceGrowth();
    }, GROWN_MS).unref();
  }

  #receive(topic: string, frame: string): void {
    if (this.#closed) return;
    try {
      const batch = this.#reader.read(topic, frame);
      if (!batch) return;
      this.#membership.recordMessage(batch.sender);
      if (batch.sender === this.#self) return;
      if (areDeltas(topic)) this.#deliverDeltas(batch.body);
      else for (const message of parseBatch(batch.body)) this.#handle(message, batch.sender);
    } catch (error) {
      this.#report('A message on the live channel is not a batch and was ignored', error);
    }
  }

  #deliverDeltas(body: string): void {
    let others = 0;
    const isRead = (sessionId: string): boolean => {
      const has = this.#fanout.has(sessionId);
      if (!has) others += 1;
      return has;
    };
    for (const delta of parseDeltas(body, isRead)) {
      this.#count('delta', 1);
      this.#fanout.deliver(delta);
    }
    if (others > 0) this.#count('others', others);
  }

  #handle(message: Message, sender: string): void {
    switch (message[0]) {
      case 'advanced':
        this.#count('hint', 1);
        return this.#fanout.deliver({ kind: 'advanced', sessionId: message[1], seq: message[2], ...(message[3] ? { stopped: message[3] } : {}) });
      case 'grown':
        return this.#fanout.grown();
      case 'hello':
        this.#membership.recordTerms(sender, message[1], message[2], null);
        return this.#sayHere(this.#membership.wasAlone);
      case 'bye':
        this.#membership.leave(sender);
        return this.#reader.reset(sender);
      case 'here':
        this.#membership.recordTerms(sender, message[1], message[2], message[3] ?? null);
        // What it published before it had the `hello` of this process was sent to no other.
        if (message[4]) this.#fanout.wake();
        return;
      default:
        message satisfies never;
    }
  }
}
