import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { LiveSignal } from '../../core/ports.js';
import { toFrames } from './frames.js';
import { SendBuffer, serialise } from './send-buffer.js';
import { reconnectPause, type Transport } from './transport.js';

/** About as much as one batch carries, in bytes. */
const BATCH_BYTES = 256 * 1024;

/** How long `close` tries to send what is left. */
const FAREWELL_MS = 1_000;

export interface SenderOptions {
  /** The name of this process among the others. */
  readonly self: string;
  readonly report: (problem: string, error: unknown) => void;
  readonly bufferBytes: number;
  readonly batchMs: number;
}

/**
 * Sends in batches: the first signal after a silence goes out with those of the same turn of the event loop, what follows
 * at most once in `batchMs`. While the wire fails it tries again, with growing pauses.
 */
export class Sender {
  readonly #outgoing: SendBuffer;
  #batches = 0;
  #draining: Promise<void> | null = null;
  #closed = false;
  #endPause: () => void = () => undefined;

  constructor(
    private readonly wire: Transport,
    private readonly options: SenderOptions,
  ) {
    this.#outgoing = new SendBuffer(options.bufferBytes);
  }

  publish(signal: LiveSignal): void {
    if (this.#closed) return;
    this.#outgoing.add(signal);
    this.#start();
  }

  tell(note: 'nudge' | 'hello' | 'here' | 'bye'): void {
    if (this.#closed) return;
    this.#outgoing.addPlain(note);
    this.#start();
  }

  /** The server is back: no need to sit out the pause after a failure. */
  hurry(): void {
    this.#endPause();
  }

  /** Takes nothing more, and sends what is left as far as that is quick. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#endPause();
    await Promise.race([this.#draining, pause(FAREWELL_MS, undefined, { ref: false })]);
  }

  #start(): void {
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  async #drain(): Promise<void> {
    let failures = 0;
    await nextTurn();
    while (!this.#outgoing.empty) {
      const taken = this.#outgoing.take(BATCH_BYTES);
      this.#batches += 1;
      try {
        await this.wire.send(toFrames(this.options.self, this.#batches, serialise(taken), this.wire.frameBytes));
        failures = 0;
      } catch (error) {
        this.#outgoing.restore(taken);
        failures += 1;
        if (this.#closed) return;
        if (failures === 1) this.options.report('Live updates do not reach the other processes; trying again', error);
      }
      const dropped = this.#outgoing.countDropped();
      if (dropped > 0) this.options.report(`${dropped} live deltas were dropped: more is published than can be sent`, null);
      await this.#pause(failures > 0 ? reconnectPause(failures) : this.options.batchMs);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#closed ? 0 : milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
