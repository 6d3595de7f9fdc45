import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { LiveSignal } from '../../ports/index.js';
import { toFrames } from './frames.js';
import { type Control, SendBuffer, toBatches } from './send-buffer.js';
import { type Frame, reconnectPause, type Transport } from './transport.js';

/** The approximate size of a batch. */
const BATCH_BYTES = 256 * 1024;

/** Milliseconds that `close` spends on sending the rest. */
const CLOSE_MS = 1_000;

export interface SenderOptions {
  /** The id of this process. */
  readonly self: string;
  readonly report: (problem: string, error: unknown) => void;
  readonly bufferBytes: number;
  readonly batchMs: number;
  /** The numbers of buckets that processes use. */
  readonly buckets: () => Iterable<number>;
}

/**
 * Sends in batches: the first signal of a burst at once, with all signals of the same event loop iteration, the following ones at most every `batchMs`. Retries
 * with growing pauses while the transport fails.
 */
export class Sender {
  readonly #buffer: SendBuffer;
  #batches = 0;
  #draining: Promise<void> | null = null;
  #closed = false;
  #endPause: () => void = () => undefined;

  constructor(
    private readonly transport: Transport,
    private readonly options: SenderOptions,
  ) {
    this.#buffer = new SendBuffer(options.bufferBytes);
  }

  publish(signal: LiveSignal): void {
    if (this.#closed) return;
    this.#buffer.add(signal);
    this.#start();
  }

  send(message: Control): void {
    if (this.#closed) return;
    this.#buffer.addControl(message);
    this.#start();
  }

  /** The server is available again: ends the pause after a failure. */
  retryNow(): void {
    this.#endPause();
  }

  /** Accepts no more signals, and sends the rest within CLOSE_MS. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#endPause();
    await Promise.race([this.#draining, pause(CLOSE_MS, undefined, { ref: false })]);
  }

  #start(): void {
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
  }

  async #drain(): Promise<void> {
    let failures = 0;
    await nextTurn();
    while (!this.#buffer.empty) {
      const taken = this.#buffer.take(BATCH_BYTES);
      try {
        await this.transport.send(this.#frames(taken));
        failures = 0;
      } catch (error) {
        this.#buffer.restore(taken);
        failures += 1;
        if (this.#closed) return;
        if (failures === 1) this.options.report('Live updates cannot be sent to the other processes; retrying', error);
      }
      const dropped = this.#buffer.takeDropped();
      if (dropped > 0) {
        const reason = failures > 0 ? 'the transport is down' : 'more is published than can be sent';
        this.options.report(`${dropped} live deltas were dropped: ${reason}. Readers get the complete message from the log`, null);
      }
      await this.#pause(failures > 0 ? reconnectPause(failures) : this.options.batchMs);
    }
  }

  #frames(taken: ReturnType<SendBuffer['take']>): readonly Frame[] {
    return toBatches(taken, this.options.buckets()).flatMap(({ topic, body }) => {
      this.#batches += 1;
      return toFrames(this.options.self, this.#batches, body, this.transport.frameBytes).map((text) => ({ topic, text }));
    });
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
