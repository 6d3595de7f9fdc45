import { type Frame, FrameParser } from './frames.js';
import { pause } from './pause.js';
import { ProblemError } from './problem.js';
import { isTransient, pauseBefore, type Transport } from './transport.js';

/** Options of every event stream. */
export interface StreamOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** A connection on which nothing arrives for this long, not even a heartbeat, is replaced; default 45,000 ms. The server sends one every 15 s by default. */
  readonly silenceMs?: number;
  /** Returns a stream ticket, which takes the place of the token. Called for every connection, because a ticket is valid once. */
  readonly ticket?: () => string | Promise<string>;
  /** Called when a connection has ended or failed and is to be replaced: until the next event, nothing that happens arrives. */
  readonly onLost?: () => void;
}

const SILENCE_MS = 45_000;
/** Longest pause before the first attempt to replace a connection that worked. */
const SOON_MS = 500;

/**
 * The messages of an event stream, over as many connections as it takes. Each connection continues after the last message with an id that `read` returned a
 * value for. `read` returns null for messages to skip.
 *
 * Throws `ProblemError` when the server rejects the stream for a reason that does not pass.
 */
export async function* follow<Event>(
  transport: Transport,
  path: string,
  options: StreamOptions,
  after: string | null,
  read: (frame: Frame) => Event | null,
): AsyncGenerator<Event, void, void> {
  const { signal } = options;
  let lastId = after;
  let retryMs = 0;
  /** Connections in a row that brought no event. */
  let failures = 0;
  while (!signal?.aborted) {
    const connection = new Connection(transport, path, options, lastId);
    let failure: unknown;
    try {
      for await (const frame of connection.frames()) {
        retryMs = frame.retry ?? retryMs;
        const event = frame.data === '' ? null : read(frame);
        if (event === null) continue;
        lastId = frame.id ?? lastId;
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
    options.onLost?.();
    // The first attempt follows soon: streams end when a server is replaced.
    const delay = failures === 0 ? Math.random() * Math.min(retryMs, SOON_MS) : pauseBefore(failures - 1, failure);
    failures += 1;
    await pause(delay, signal).catch(() => undefined);
  }
}

/** One response of a stream route. */
class Connection {
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.close();

  constructor(
    private readonly transport: Transport,
    private readonly path: string,
    private readonly options: StreamOptions,
    private readonly lastId: string | null,
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
    const { ticket } = this.options;
    const query = ticket ? `?ticket=${encodeURIComponent(await ticket())}` : '';
    const call = { method: 'GET', target: this.path + query, keyed: false, anonymous: ticket !== undefined };
    return this.transport.once(call, { signal: this.#controller.signal, headers: this.lastId === null ? {} : { 'last-event-id': this.lastId } });
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
