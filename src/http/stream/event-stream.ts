import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { SessionEvent } from '../../core/session/events.js';
import { type Frame, storedFrame } from './frame.js';
import type { Follower, SessionTail } from './session-tail.js';
import type { LiveFrame, StreamFormat } from './stream-format.js';

export interface StreamOptions {
  /** Most bytes buffered for a slow client; beyond it nothing is written until the buffer has drained. */
  readonly bufferBytes: number;
  /** A client that reads nothing for this long is disconnected; it can resume. In milliseconds. */
  readonly stallMs: number;
}

/** Largest page of a replay, in events. */
const PAGE = 100;

/**
 * One client's stream: a replay of the log, then `synced`, then live events. A slow client gets no deltas, and continues from the log after its buffer has
 * drained. So a stream holds at most one page and one buffer.
 */
export class EventStream implements Follower {
  readonly #log = new Logger('Stream');
  readonly #maxBuffer: number;
  #live = false;
  #synced = false;
  #largestFrame = 0;
  #bytesRead = -1;
  #readAt = performance.now();

  constructor(
    private readonly response: ServerResponse,
    private readonly page: (after: number, limit: number) => Promise<readonly SessionEvent[]>,
    private readonly tail: SessionTail,
    private readonly options: StreamOptions,
    private position: number,
    private readonly format: StreamFormat,
  ) {
    // Below the socket's high-water mark there is no `drain` event.
    this.#maxBuffer = Math.max(options.bufferBytes, response.writableHighWaterMark);
  }

  start(): Promise<void> {
    this.response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...this.format.headers,
    });
    this.response.write(this.format.opening);
    return this.#catchUp();
  }

  stored(frames: readonly Frame[]): void {
    if (!this.#live || this.#closed) return;
    for (const frame of frames) {
      if (frame.event.seq <= this.position) continue;
      if (this.#full || frame.event.seq !== this.position + 1) {
        void this.#catchUp();
        return;
      }
      this.#write(frame);
    }
    this.#endWhenComplete();
  }

  live(frame: LiveFrame): void {
    if (!this.#live || this.#full || this.#closed) return;
    const text = this.format.live(frame);
    if (text !== '') this.response.write(text);
  }

  heartbeat(): void {
    if (this.#closed) return;
    const bytesRead = this.response.socket?.bytesWritten ?? 0;
    if (bytesRead !== this.#bytesRead || !this.#full) {
      this.#bytesRead = bytesRead;
      this.#readAt = performance.now();
    }
    if (!this.#full) this.response.write(':\n\n');
    else if (performance.now() - this.#readAt > this.options.stallMs) this.response.destroy();
  }

  /** The client reconnects, perhaps to a server of the newer release. */
  outdated(): void {
    if (this.format.cutsOff) this.response.destroy();
    else this.response.end();
  }

  /** Replays the log up to the position of the tail. */
  async #catchUp(): Promise<void> {
    this.#live = false;
    try {
      do {
        while (await this.#replayPage());
      } while (!this.#closed && this.position < this.tail.position);
    } catch (error) {
      this.#log.warn({ msg: 'The log could not be read; the client is disconnected and can resume.', err: error });
      this.response.destroy();
    }
    if (this.#closed) return;
    const synced = this.#synced ? '' : this.format.synced(this.position);
    if (synced !== '') this.response.write(synced);
    this.#synced = true;
    this.#live = true;
    this.#endWhenComplete();
  }

  /** Returns whether there may be more. */
  async #replayPage(): Promise<boolean> {
    if (this.#full) await this.#drained();
    const limit = Math.max(1, Math.min(PAGE, Math.floor(this.#maxBuffer / Math.max(this.#largestFrame, 1))));
    const events = await this.page(this.position, limit);
    for (const event of events) {
      if (this.#full) await this.#drained();
      if (this.#closed) return false;
      this.#write(storedFrame(event));
    }
    return events.length === limit && !this.#closed;
  }

  #endWhenComplete(): void {
    const closing = this.#closed ? null : this.format.closing();
    if (closing !== null) this.response.end(closing);
  }

  #write(frame: Frame): void {
    const text = this.format.stored(frame);
    if (text !== '') this.response.write(text);
    this.position = frame.event.seq;
    this.#largestFrame = Math.max(this.#largestFrame, text.length);
  }

  get #full(): boolean {
    return this.response.writableLength >= this.#maxBuffer;
  }

  get #closed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  #drained(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.on('drain', done).on('close', done);
    });
  }
}
