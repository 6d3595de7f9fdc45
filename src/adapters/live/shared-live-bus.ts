import { randomUUID } from 'node:crypto';
import { LiveBus, type LiveSignal } from '../../core/ports.js';
import { FrameReader } from './frames.js';
import { LocalFanout } from './local-fanout.js';
import { parseBatch, type Message } from './message.js';
import { Membership } from './membership.js';
import { Sender } from './sender.js';
import type { Transport } from './transport.js';

export interface LiveBusOptions {
  /** Receives every error; none is thrown. */
  readonly report: (problem: string, error: unknown) => void;
  /** The maximum size of unsent deltas in bytes; past that the oldest are dropped. */
  readonly bufferBytes?: number;
  /** The minimum time between two batches, in milliseconds. */
  readonly batchMs?: number;
  /** The interval of heartbeats, in milliseconds. */
  readonly heartbeatMs?: number;
  /** Whether this process does the work that one of all has to do, and may lead. */
  readonly isWorker?: boolean;
}

/**
 * The live bus of one process among several: its own listeners receive a signal at once, the other processes with the next batch. A lost connection costs delay
 * and deltas, never a hint: after each gap every subscriber gets `advanced` with seq 0, which means that signals may have been missed.
 */
export class SharedLiveBus extends LiveBus {
  readonly #self = randomUUID();
  readonly #isWorker: boolean;
  readonly #fanout: LocalFanout;
  readonly #sender: Sender;
  readonly #membership: Membership;
  readonly #reader = new FrameReader();
  readonly #report: LiveBusOptions['report'];
  readonly #heartbeat: NodeJS.Timeout;
  #closed = false;
  #onceListening: () => void = () => undefined;
  readonly #listening = new Promise<void>((resolve) => (this.#onceListening = resolve));

  constructor(
    private readonly transport: Transport,
    options: LiveBusOptions,
  ) {
    super();
    const { report, bufferBytes = 4 * 1024 * 1024, batchMs = 5, heartbeatMs = 5_000, isWorker = true } = options;
    this.#isWorker = isWorker;
    this.#report = report;
    this.#fanout = new LocalFanout(report);
    this.#sender = new Sender(transport, { self: this.#self, report, bufferBytes, batchMs });
    this.#membership = new Membership({ id: this.#self, isWorker }, heartbeatMs);
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(), heartbeatMs).unref();
    transport.listen({
      onListening: () => this.#startListening(),
      onLost: (error) => this.#stopListening(error),
      onFrame: (frame) => this.#receive(frame),
    });
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

  publish(signal: LiveSignal): void {
    this.#fanout.deliver(signal);
    if (!this.#membership.alone) this.#sender.publish(signal);
  }

  get leads(): boolean {
    return this.#membership.leads;
  }

  nudge(): void {
    this.#fanout.nudge();
  }

  subscribe(sessionId: string, listener: (signal: LiveSignal) => void): () => void {
    return this.#fanout.subscribe(sessionId, listener);
  }

  onNudge(listener: () => void): () => void {
    return this.#fanout.onNudge(listener);
  }

  async ping(): Promise<void> {
    await this.transport.ping();
  }

  /** Sends the buffered messages within a bounded time and closes both connections. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#sender.send(['bye']);
    await this.#sender.close();
    await this.transport.close();
  }

  #startListening(): void {
    this.#membership.startListening();
    this.#sender.send(['hello', this.#isWorker]);
    this.#sender.retryNow();
    this.#onceListening();
    this.#fanout.wakeAll();
  }

  #stopListening(error: unknown): void {
    this.#membership.stopListening();
    this.#reader.reset();
    this.#report('Live updates of the other processes are not received; reconnecting', error);
  }

  #sendHeartbeat(): void {
    const { deaf, isDue } = this.#membership.tick();
    if (deaf) this.transport.reconnectListener();
    if (isDue) this.#sender.send(['here', this.#isWorker]);
  }

  #receive(frame: string): void {
    if (this.#closed) return;
    try {
      const batch = this.#reader.read(frame);
      if (!batch) return;
      this.#membership.recordMessage(batch.sender);
      if (batch.sender === this.#self) return;
      for (const message of parseBatch(batch.body)) this.#handle(message, batch.sender);
    } catch (error) {
      this.#report('A message on the live channel is not a batch and was ignored', error);
    }
  }

  #handle(message: Message, sender: string): void {
    switch (message[0]) {
      case 'advanced':
        return this.#fanout.deliver({ kind: 'advanced', sessionId: message[1], seq: message[2], ...(message[3] ? { settled: message[3] } : {}) });
      case 'delta':
        return this.#fanout.deliver({ kind: 'delta', sessionId: message[1], type: message[2], data: message[3] });
      case 'hello':
        this.#membership.recordRole(sender, message[1]);
        return this.#sender.send(['here', this.#isWorker]);
      case 'bye':
        this.#membership.leave(sender);
        return this.#reader.reset(sender);
      case 'here':
        return this.#membership.recordRole(sender, message[1]);
      default:
        message satisfies never;
    }
  }
}
