import type { Event, StreamedEvent } from './api.js';
import { type Frame, FrameParser } from './frames.js';
import { pause } from './pause.js';
import { ProblemError } from './problem.js';
import { isTransient, pauseBefore, type Transport } from './transport.js';

export interface EventOptions {
  /** Id of the session. */
  readonly id: string;
  /** Sequence number of the last event that is known; default 0, which starts at the first event. */
  readonly after?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** A connection on which nothing arrives for this long, not even a heartbeat, is replaced; default 45,000 ms. The server sends one every 15 s by default. */
  readonly silenceMs?: number;
  /** Returns a stream ticket, which takes the place of the token. Called for every connection, because a ticket is valid once. */
  readonly ticket?: () => string | Promise<string>;
}

const SILENCE_MS = 45_000;
/** Longest pause before the first attempt to replace a connection that worked. */
const SOON_MS = 500;

/**
 * The events of a session, each stored one once and in order, for as long as the iteration lasts. A lost connection is replaced, and continues after the last
 * event received. Every connection contains one `synced` event: pieces of answers (`message.delta`) received before it may have gaps.
 *
 * Throws `ProblemError` when the server rejects the stream for a reason that does not pass.
 */
export async function* streamEvents(transport: Transport, options: EventOptions): AsyncGenerator<StreamedEvent, void, void> {
  const { signal, after = 0 } = options;
  let position = after;
  let retryMs = 0;
  /** Connections in a row that brought no event. */
  let failures = 0;
  while (!signal?.aborted) {
    const connection = new Connection(transport, options, position);
    let failure: unknown;
    try {
      for await (const frame of connection.frames()) {
        retryMs = frame.retry ?? retryMs;
        if (frame.data === '') continue;
        const event = eventOf(frame);
        if (isStored(event)) {
          if (event.seq <= position) continue;
          position = event.seq;
        }
        failures = 0;
        yield event;
      }
    } catch (error) {
      failure = error;
    } finally {
      connection.close();
    }
    if (signal?.aborted) return;
    if (failure instanceof ProblemError && !isTransient(failure)) throw failure;
    // The first attempt follows soon: streams end whenever a server is replaced.
    const delay = failures === 0 ? Math.random() * Math.min(retryMs, SOON_MS) : pauseBefore(failures - 1, failure);
    failures += 1;
    await pause(delay, signal).catch(() => undefined);
  }
}

/** A live event has no position in the log. */
export function isStored(event: StreamedEvent): event is Event {
  return 'seq' in event;
}

function eventOf({ id, event, data }: Frame): StreamedEvent {
  const value: unknown = JSON.parse(data);
  return (id === null ? { type: event, data: value } : value) as StreamedEvent;
}

/** One response of the stream route. */
class Connection {
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.close();

  constructor(
    private readonly transport: Transport,
    private readonly options: EventOptions,
    private readonly position: number,
  ) {
    options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** The messages, comments included. Ends with the response, throws when the connection fails or is silent for too long. */
  async *frames(): AsyncGenerator<Frame, void, void> {
    const response = await this.#inTime(this.#open());
    if (!response.ok || !response.body) throw await ProblemError.of(response);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new FrameParser();
    for (;;) {
      const { done, value } = await this.#inTime(reader.read());
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  }

  close(): void {
    this.options.signal?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
  }

  async #open(): Promise<Response> {
    const { id, ticket } = this.options;
    const { signal } = this.#controller;
    const path = `/v1/sessions/${encodeURIComponent(id)}/events/stream`;
    const query = ticket ? `?ticket=${encodeURIComponent(await ticket())}` : '';
    const headers = this.position === 0 ? {} : { 'last-event-id': String(this.position) };
    return this.transport.once({ method: 'GET', target: path + query, keyed: false, anonymous: ticket !== undefined }, { signal, headers });
  }

  /** Rejects, and closes the connection, when nothing comes. A consumer that takes its time does not count as silence. */
  async #inTime<T>(arriving: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error('The event stream is silent; the connection is taken for lost.'));
        this.#controller.abort();
      }, this.options.silenceMs ?? SILENCE_MS);
    });
    try {
      return await Promise.race([arriving, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}
