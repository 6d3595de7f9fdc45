import { randomUUID } from 'node:crypto';
import { LiveBus, type LiveSignal } from '../../core/ports.js';
import { FrameReader } from './frames.js';
import { LocalFanout } from './local-fanout.js';
import { parseNotes, type Note } from './message.js';
import { Membership } from './membership.js';
import { Sender } from './sender.js';
import type { Transport } from './transport.js';

export interface LiveBusOptions {
  /** Told of every trouble; nothing of it is thrown. */
  readonly report: (problem: string, error: unknown) => void;
  /** How much of not yet sent deltas is kept, in bytes; beyond that the oldest are dropped. */
  readonly bufferBytes?: number;
  /** The shortest time between two batches: what is published meanwhile goes out together. */
  readonly batchMs?: number;
  /** How often a process says that it is there. */
  readonly beatMs?: number;
}

/**
 * The live bus of a process among others: its own listeners hear a signal at once, the other processes in the next
 * batch. Losing the wire costs them delay and deltas, never a hint: after every gap each subscriber gets
 * `advanced` with seq 0, which means "look, you may have missed something", and each listener for nudges a nudge.
 */
export class SharedLiveBus extends LiveBus {
  readonly #self = randomUUID();
  readonly #fanout: LocalFanout;
  readonly #sender: Sender;
  readonly #presence: Membership;
  readonly #reader = new FrameReader();
  readonly #report: LiveBusOptions['report'];
  readonly #heartbeat: NodeJS.Timeout;
  #closed = false;
  #onceListening: () => void = () => undefined;
  readonly #listening = new Promise<void>((resolve) => (this.#onceListening = resolve));

  constructor(
    private readonly wire: Transport,
    options: LiveBusOptions,
  ) {
    super();
    const { report, bufferBytes = 4 * 1024 * 1024, batchMs = 5, beatMs = 5_000 } = options;
    this.#report = report;
    this.#fanout = new LocalFanout(report);
    this.#sender = new Sender(wire, { self: this.#self, report, bufferBytes, batchMs });
    this.#presence = new Membership(this.#self, beatMs);
    this.#heartbeat = setInterval(() => this.#beat(), beatMs).unref();
    wire.listen({
      onListening: () => this.#startListening(),
      onLost: (error) => this.#stopListening(error),
      onFrame: (frame) => this.#hear(frame),
    });
  }

  /** Resolves when this process hears the others for the first time. */
  listening(): Promise<void> {
    return this.#listening;
  }

  /** Listeners that are subscribed now. */
  get subscribers(): number {
    return this.#fanout.size;
  }

  /** Whether, as far as is known, no other process listens: then nothing is sent. */
  get alone(): boolean {
    return this.#presence.alone;
  }

  publish(signal: LiveSignal): void {
    this.#fanout.deliver(signal);
    if (!this.#presence.alone) this.#sender.publish(signal);
  }

  nudge(): void {
    this.#fanout.nudge();
    if (!this.#presence.alone) this.#sender.tell('nudge');
  }

  subscribe(sessionId: string, listener: (signal: LiveSignal) => void): () => void {
    return this.#fanout.subscribe(sessionId, listener);
  }

  onNudge(listener: () => void): () => void {
    return this.#fanout.onNudge(listener);
  }

  async ping(): Promise<void> {
    await this.wire.ping();
  }

  /** Sends what waits, as far as that is quick, and ends both connections. Other processes are not heard afterwards. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#sender.tell('bye');
    await this.#sender.close();
    await this.wire.close();
  }

  #startListening(): void {
    this.#presence.startListening();
    this.#sender.tell('hello');
    this.#sender.hurry();
    this.#onceListening();
    this.#fanout.wake();
  }

  #stopListening(error: unknown): void {
    this.#presence.stopListening();
    this.#reader.forget();
    this.#report('Live updates of the other processes are not heard; connecting again', error);
  }

  #beat(): void {
    if (this.#presence.beat().deaf) this.wire.relisten();
    this.#sender.tell('here');
  }

  #hear(frame: string): void {
    if (this.#closed) return;
    try {
      const batch = this.#reader.read(frame);
      if (!batch) return;
      this.#presence.hear(batch.sender);
      if (batch.sender === this.#self) return;
      for (const note of parseNotes(batch.body)) this.#take(note, batch.sender);
    } catch (error) {
      this.#report('A live update that is not ours was ignored', error);
    }
  }

  #take(note: Note, sender: string): void {
    switch (note[0]) {
      case 'advanced':
        return this.#fanout.deliver({ kind: 'advanced', sessionId: note[1], seq: note[2] });
      case 'delta':
        return this.#fanout.deliver({ kind: 'delta', sessionId: note[1], type: note[2], data: note[3] });
      case 'nudge':
        return this.#fanout.nudge();
      case 'hello':
        return this.#sender.tell('here');
      case 'bye':
        this.#presence.leave(sender);
        return this.#reader.forget(sender);
      case 'here':
        return;
      default:
        note satisfies never;
    }
  }
}
