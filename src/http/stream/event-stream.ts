import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { type Batch, isStored, type BatchFrame } from './batch.js';
import { Chunk } from './chunk.js';
import { type Frame, storedFrame } from './frame.js';
import type { Follower, SessionTail } from './session-tail.js';
import type { LiveFrame, StreamFormat } from './stream-format.js';

export interface StreamOptions {
  /** Most bytes buffered for a slow client, and of deltas held during a replay; beyond it nothing is written until the buffer has drained, and no more is held. */
  readonly bufferBytes: number;
  /** A client that reads nothing for this long is disconnected; it can resume. In milliseconds. */
  readonly stallMs: number;
}

/** Largest page of a replay, in events. */
const PAGE = 100;
const KEEP_ALIVE = new Chunk(':\n\n');

/**
 * One client's stream: a replay of the log, then `synced`, then live events. A slow client gets no deltas, and continues from the log after its buffer has
 * drained. Deltas that arrive during a replay are sent after it. So a stream holds at most one page and two buffers.
 */
export class EventStream implements Follower {
  readonly #log = new Logger('Stream');
  readonly #maxBuffer: number;
  #live = false;
  #synced = false;
  #largestFrame = 0;
  #bytesRead = -1;
  #readAt = performance.now();
  /** Deltas that arrived during the replay. */
  #held: LiveFrame[] = [];
  #heldBytes = 0;

  constructor(
    private readonly response: ServerResponse,
    private readonly page: (after: number, limit: number) => Promise<readonly SessionEvent[]>,
    private readonly tail: SessionTail,
    private readonly options: StreamOptions,
    private position: number,
    private readonly format: StreamFormat,
    /** Whether the client may not read on after this event. */
    private readonly ends: (event: SessionEvent) => boolean = () => false,
  ) {
    // Below the socket's high-water mark there is no `drain` event.
    this.#maxBuffer = Math.max(options.bufferBytes, response.writableHighWaterMark);
  }

  start(): Promise<void> {
    const { response } = this;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...this.format.headers,
    });
    // Node keeps the head with the response. Written by itself it becomes one flat string; with the first text it would stay a rope of many.
    response.cork();
    response.flushHeaders();
    this.#send(this.format.opening);
    response.uncork();
    return this.#catchUp();
  }

  receive(batch: Batch): void {
    if (this.#closed) return;
    if (!this.#live) return this.#hold(batch.frames);
    if (this.format.isShared && !this.#full && batch.follows(this.position) && !batch.stored.some(({ event }) => this.ends(event))) {
      batch.chunk.writeTo(this.response);
      this.position = batch.stored.at(-1)?.event.seq ?? this.position;
      this.#largestFrame = Math.max(this.#largestFrame, batch.largestFrame);
      return;
    }
    const frames = batch.after(this.position);
    for (const [index, frame] of frames.entries()) {
      if (this.#closed) return;
      if (isStored(frame)) {
        if (this.#full || frame.event.seq !== this.position + 1) {
          void this.#catchUp();
          this.#hold(frames.slice(index));
          return;
        }
        this.#write(frame);
      } else {
        this.#endWhenComplete();
        if (!this.#full && !this.#closed) this.#send(this.format.live(frame));
      }
    }
    this.#endWhenComplete();
  }

  heartbeat(): void {
    if (this.#closed) return;
    const bytesRead = this.response.socket?.bytesWritten ?? 0;
    if (bytesRead !== this.#bytesRead || !this.#full) {
      this.#bytesRead = bytesRead;
      this.#readAt = performance.now();
    }
    if (!this.#full) KEEP_ALIVE.writeTo(this.response);
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
    if (!this.#synced) this.#send(this.format.synced(this.position));
    this.#synced = true;
    this.#live = true;
    this.#sendHeld();
    this.#endWhenComplete();
  }

  /** What is stored is read by the replay. */
  #hold(frames: readonly BatchFrame[]): void {
    for (const frame of frames) {
      if (isStored(frame) || this.#full || this.#heldBytes + frame.text.length > this.#maxBuffer) continue;
      this.#heldBytes += frame.text.length;
      this.#held.push(frame);
    }
  }

  #sendHeld(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const frame of held) if (!this.#full && !this.tail.hasEnded(frame)) this.#send(this.format.live(frame));
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
    this.#send(text);
    this.position = frame.event.seq;
    this.#largestFrame = Math.max(this.#largestFrame, text.length);
    if (this.ends(frame.event)) this.response.end();
  }

  #send(text: string): void {
    if (text !== '') new Chunk(text).writeTo(this.response);
  }

  get #full(): boolean {
    return this.response.writableLength >= this.#maxBuffer;
  }

  get #closed(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  #drained(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const { response } = this;
    // Chunks bypass the response, which therefore does not know that the socket has drained. It has no socket while it waits for an earlier response.
    const source = response.socket ?? response;
    return new Promise((resolve) => {
      const done = (): void => {
        source.off('drain', done);
        response.off('close', done);
        resolve();
      };
      source.on('drain', done);
      response.on('close', done);
    });
  }
}
