import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { LiveBus, type LiveSignal } from '../../core/ports.js';
import { FrameReader, toFrames } from './frames.js';
import { LocalFanout } from './local-fanout.js';
import { parseNotes, type Note } from './note.js';
import { Outgoing, serialise } from './outgoing.js';
import { Presence } from './presence.js';
import { reconnectPause, type Wire } from './wire.js';

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

/** About as much as one batch carries, in bytes. */
const BATCH_BYTES = 256 * 1024;

/** How long `close` tries to tell the others what they have not heard yet. */
const FAREWELL_MS = 1_000;

/**
 * The live bus of a process among others: its own listeners hear a signal at once, the other processes in the next
 * batch. Losing the wire costs them delay and deltas, never a hint: after every gap each subscriber gets
 * `advanced` with seq 0, which means "look, you may have missed something".
 */
export class SharedLiveBus extends LiveBus {
  readonly #id = randomUUID();
  readonly #fanout: LocalFanout;
  readonly #outgoing: Outgoing;
  readonly #presence: Presence;
  readonly #reader = new FrameReader();
  readonly #report: LiveBusOptions['report'];
  readonly #batchMs: number;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #sending: Promise<void> | null = null;
  #batches = 0;
  /** Ends the pause between two batches. */
  #hurry: () => void = () => undefined;
  #onceListening: () => void = () => undefined;
  readonly #listening = new Promise<void>((resolve) => (this.#onceListening = resolve));

  constructor(
    private readonly wire: Wire,
    options: LiveBusOptions,
  ) {
    super();
    const { report, bufferBytes = 4 * 1024 * 1024, batchMs = 5, beatMs = 5_000 } = options;
    this.#report = report;
    this.#batchMs = batchMs;
    this.#fanout = new LocalFanout(report);
    this.#outgoing = new Outgoing(bufferBytes);
    this.#presence = new Presence(this.#id, beatMs);
    this.#heartbeat = setInterval(() => this.#beat(), beatMs).unref();
    this.wire.listen({
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
    if (this.#presence.alone || this.#closing.signal.aborted) return;
    this.#outgoing.add(signal);
    this.#send();
  }

  nudge(): void {
    this.#fanout.nudge();
    if (!this.#presence.alone) this.#tell('nudge');
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

  /** Sends what waits, as far as that is quick, and ends both connections. Nothing is delivered afterwards. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    clearInterval(this.#heartbeat);
    this.#tell('bye');
    this.#closing.abort();
    this.#hurry();
    await Promise.race([this.#sending, pause(FAREWELL_MS, undefined, { ref: false })]);
    await this.wire.close();
  }

  #tell(note: 'nudge' | 'hello' | 'here' | 'bye'): void {
    if (this.#closing.signal.aborted) return;
    this.#outgoing.addPlain(note);
    this.#send();
  }

  #send(): void {
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = null;
    });
  }

  /** The first signal after a silence goes out with those of the same turn of the event loop; what follows, in batches. */
  async #drain(): Promise<void> {
    let failures = 0;
    await nextTurn();
    while (!this.#outgoing.empty) {
      const taken = this.#outgoing.take(BATCH_BYTES);
      this.#batches += 1;
      try {
        await this.wire.send(toFrames(this.#id, this.#batches, serialise(taken), this.wire.frameBytes));
        failures = 0;
      } catch (error) {
        this.#outgoing.restore(taken);
        failures += 1;
        if (this.#closing.signal.aborted) return;
        if (failures === 1) this.#report('Live updates do not reach the other processes; trying again', error);
      }
      const dropped = this.#outgoing.countDropped();
      if (dropped > 0) this.#report(`${dropped} live deltas were dropped: more is published than can be sent`, null);
      await this.#pause(failures > 0 ? reconnectPause(failures) : this.#batchMs);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#closing.signal.aborted ? 0 : milliseconds);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #startListening(): void {
    this.#presence.startListening();
    this.#tell('hello');
    this.#hurry(); // the server is back: no need to sit out the pause after a failure
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
    this.#tell('here');
  }

  #hear(frame: string): void {
    if (this.#closing.signal.aborted) return;
    try {
      const batch = this.#reader.read(frame);
      if (!batch) return;
      this.#presence.hear(batch.sender);
      if (batch.sender === this.#id) return;
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
        return this.#tell('here');
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
