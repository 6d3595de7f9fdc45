import { once } from 'node:events';
import { Redis } from 'ioredis';
import { DEFAULT_TIMEOUT_MS, reconnectPause, type Ears, type Transport, type TransportOptions } from './transport.js';

/** How these connections are called in CLIENT LIST. */
export const REDIS_CLIENT_NAME = 'verbatim-live';

/** SUBSCRIBE on one connection, PUBLISH on another. */
export class RedisTransport implements Transport {
  /** Redis takes 512 MB; smaller messages keep its output buffers within their limits. */
  readonly frameBytes = 1024 * 1024;
  readonly #channel: string;
  readonly #timeoutMs: number;
  readonly #listener: Redis;
  readonly #speaker: Redis;
  #ears: Ears | null = null;
  #listening = false;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#channel = options.channel ?? 'verbatim:live';
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const settings = {
      connectionName: REDIS_CLIENT_NAME,
      connectTimeout: this.#timeoutMs,
      commandTimeout: this.#timeoutMs,
      lazyConnect: true,
      retryStrategy: reconnectPause,
      // Nothing waits inside the client: the bus keeps what is to be sent, and bounds it.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
    };
    this.#listener = new Redis(options.url, { ...settings, autoResubscribe: false });
    this.#speaker = new Redis(options.url, settings);
    this.#speaker.on('error', () => undefined); // the command that it breaks is rejected, too
  }

  listen(ears: Ears): void {
    this.#ears = ears;
    this.#listener.on('message', (_channel, frame) => ears.onFrame(frame));
    this.#listener.on('error', (error) => this.#lose(error));
    this.#listener.on('close', () => this.#lose(new Error('The connection has ended')));
    this.#listener.on('ready', () => void this.#subscribe());
    // A connection that fails at first is tried again like one that is lost.
    for (const client of [this.#listener, this.#speaker]) client.connect().catch(() => undefined);
  }

  relisten(): void {
    this.#listener.disconnect(true);
  }

  async send(frames: readonly string[]): Promise<void> {
    if (this.#speaker.status !== 'ready') await once(this.#speaker, 'ready', { signal: AbortSignal.timeout(this.#timeoutMs) });
    await Promise.all(frames.map((frame) => this.#speaker.publish(this.#channel, frame)));
  }

  async ping(): Promise<void> {
    if (!this.#listening || this.#closed) throw new Error('Live updates: no connection to listen on');
    await Promise.all([this.#listener.ping(), this.#speaker.ping()]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const client of [this.#listener, this.#speaker]) client.disconnect();
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#listener.subscribe(this.#channel);
      this.#listening = true;
      this.#ears?.onListening();
    } catch {
      this.#listener.disconnect(true);
    }
  }

  #lose(error: unknown): void {
    if (this.#closed || !this.#listening) return;
    this.#listening = false;
    this.#ears?.onLost(error);
  }
}
