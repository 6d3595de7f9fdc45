import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { SessionEvent } from '../../core/session/events.js';
import { type Frame, liveFrame, storedFrame } from './frame.js';
import type { Follower, SessionTail } from './session-tail.js';

export interface StreamOptions {
  /** What may wait for a slow client; past it nothing is written until the client has caught up. */
  readonly bufferBytes: number;
  /** A client that takes nothing at all for so long is cut off; it can resume where it was. */
  readonly stallMs: number;
}

/** Largest page of a replay, in events. */
const PAGE = 100;
/** How long a client waits before it comes back, in milliseconds. */
const RETRY = 2_000;

/**
 * One client's stream: first what it has missed, then `synced`, then what happens. A client that is too slow falls behind: it gets no deltas, and
 * reads on from the log once it has taken what was waiting. So a stream holds one page and the buffer at most, whatever the client does.
 */
export class EventStream implements Follower {
  readonly #log = new Logger('Stream');
  readonly #most: number;
  #live = false;
  #synced = false;
  #largest = 0;
  #taken = -1;
  #takenAt = performance.now();

  constructor(
    private readonly response: ServerResponse,
    private readonly page: (after: number, limit: number) => Promise<readonly SessionEvent[]>,
    private readonly tail: SessionTail,
    private readonly options: StreamOptions,
    private position: number,
  ) {
    // Below the socket's own mark there would be no `drain` to wait for.
    this.#most = Math.max(options.bufferBytes, response.writableHighWaterMark);
  }

  start(): Promise<void> {
    this.response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
    this.response.write(`retry: ${RETRY}\n\n`);
    return this.#catchUp();
  }

  stored(frames: readonly Frame[]): void {
    if (!this.#live) return;
    for (const frame of frames) {
      if (frame.event.seq <= this.position) continue;
      if (this.#full || frame.event.seq !== this.position + 1) {
        void this.#catchUp();
        return;
      }
      this.#write(frame);
    }
  }

  live(text: string): void {
    if (this.#live && !this.#full) this.response.write(text);
  }

  beat(): void {
    const taken = this.response.socket?.bytesWritten ?? 0;
    if (taken !== this.#taken || !this.#full) {
      this.#taken = taken;
      this.#takenAt = performance.now();
    }
    if (!this.#full) this.response.write(':\n\n');
    else if (performance.now() - this.#takenAt > this.options.stallMs) this.response.destroy();
  }

  /** Reads the log until nothing is missing that the tail will not bring. */
  async #catchUp(): Promise<void> {
    this.#live = false;
    try {
      do {
        while (await this.#replayPage());
      } while (!this.#over && this.position < this.tail.position);
    } catch (error) {
      this.#log.warn({ msg: 'The log could not be read; the client has to come back and resume.', err: error });
      this.response.destroy();
    }
    if (this.#over) return;
    if (!this.#synced) this.response.write(liveFrame('synced', { version: this.position }));
    this.#synced = true;
    this.#live = true;
  }

  /** Whether there may be more. */
  async #replayPage(): Promise<boolean> {
    if (this.#full) await this.#drained();
    const limit = Math.max(1, Math.min(PAGE, Math.floor(this.#most / Math.max(this.#largest, 1))));
    const events = await this.page(this.position, limit);
    for (const event of events) {
      if (this.#full) await this.#drained();
      if (this.#over) return false;
      this.#write(storedFrame(event));
    }
    return events.length === limit && !this.#over;
  }

  #write({ event, text }: Frame): void {
    this.response.write(text);
    this.position = event.seq;
    this.#largest = Math.max(this.#largest, text.length);
  }

  get #full(): boolean {
    return this.response.writableLength >= this.#most;
  }

  get #over(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  #drained(): Promise<void> {
    if (this.#over) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.on('drain', done).on('close', done);
    });
  }
}
