import { once } from 'node:events';
import { Redis } from 'ioredis';
import { DEFAULT_TIMEOUT_MS, reconnectPause, type TransportListener, type Transport, type TransportOptions } from './transport.js';

/** The name of these connections in CLIENT LIST. */
export const REDIS_CLIENT_NAME = 'verbatim-live';

/** SUBSCRIBE on one connection, PUBLISH on another. */
export class RedisTransport implements Transport {
  /** The limit of Redis is 512 MB; smaller messages keep its output buffers within their limits. */
  readonly frameBytes = 1024 * 1024;
  readonly #channel: string;
  readonly #timeoutMs: number;
  readonly #subscriber: Redis;
  readonly #publisher: Redis;
  #handler: TransportListener | null = null;
  #listening = false;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#channel = options.channel ?? 'verbatim:live';
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const settings = {
      connectionName: REDIS_CLIENT_NAME,
      connectTimeout: this.#timeoutMs,
      commandTimeout: this.#timeoutMs,
      socketTimeout: this.#timeoutMs, // a connection that leaves a command unanswered is replaced
      lazyConnect: true,
      retryStrategy: reconnectPause,
      // No queue inside the client: the bus has a buffer of its own, which is bounded.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
    };
    this.#subscriber = new Redis(options.url, { ...settings, autoResubscribe: false });
    this.#publisher = new Redis(options.url, settings);
    this.#publisher.on('error', () => undefined); // the interrupted command is rejected with the same error
  }

  listen(handler: TransportListener): void {
    this.#handler = handler;
    this.#subscriber.on('message', (_channel, frame) => handler.onFrame(frame));
    this.#subscriber.on('error', (error) => this.#reportLost(error));
    this.#subscriber.on('close', () => this.#reportLost(new Error('The connection was closed')));
    this.#subscriber.on('ready', () => void this.#subscribe());
    // A failed first connection is retried like a lost one.
    for (const client of [this.#subscriber, this.#publisher]) client.connect().catch(() => undefined);
  }

  reconnectListener(): void {
    this.#subscriber.disconnect(true);
  }

  async send(frames: readonly string[]): Promise<void> {
    if (this.#publisher.status !== 'ready') await once(this.#publisher, 'ready', { signal: AbortSignal.timeout(this.#timeoutMs) });
    await Promise.all(frames.map((frame) => this.#publisher.publish(this.#channel, frame)));
  }

  async ping(): Promise<void> {
    if (!this.#listening || this.#closed) throw new Error('Live updates: the receiving connection is down');
    await Promise.all([this.#subscriber.ping(), this.#publisher.ping()]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const client of [this.#subscriber, this.#publisher]) client.disconnect();
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#subscriber.subscribe(this.#channel);
      this.#listening = true;
      this.#handler?.onListening();
    } catch {
      this.#subscriber.disconnect(true);
    }
  }

  #reportLost(error: unknown): void {
    if (this.#closed || !this.#listening) return;
    this.#listening = false;
    this.#handler?.onLost(error);
  }
}
