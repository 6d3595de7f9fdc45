import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { openPubSub, type RedisPlace } from '../redis/open-redis.js';
import { DEFAULT_TIMEOUT_MS, type Frame, reconnectPause, type TransportListener, type Transport, type TransportOptions } from './transport.js';

/** The name of these connections in CLIENT LIST. */
export const REDIS_CLIENT_NAME = 'verbatim-live';

/** SUBSCRIBE on one connection, PUBLISH on another, each to any node of a cluster: sharded channels would need a connection to the node of each slot. */
export class RedisTransport implements Transport {
  /** The limit of Redis is 512 MB; smaller messages keep its output buffers within their limits. */
  readonly frameBytes = 1024 * 1024;
  readonly #prefix: string;
  /** Topics to receive. */
  readonly #topics = new Set<string>();
  readonly #timeoutMs: number;
  readonly #subscriber: Redis;
  readonly #publisher: Redis;
  #handler: TransportListener | null = null;
  #listening = false;
  /** The subscription was refused, and reported. */
  #failing = false;
  #closed = false;

  constructor(options: TransportOptions & RedisPlace) {
    this.#prefix = `${options.channel ?? 'verbatim:live'}:`;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const settings = {
      connectionName: REDIS_CLIENT_NAME,
      connectTimeout: this.#timeoutMs,
      commandTimeout: this.#timeoutMs,
      socketTimeout: this.#timeoutMs, // a connection that leaves a command unanswered is replaced
      lazyConnect: true,
      retryStrategy: reconnectPause,
      // No queue inside the client: the bus has a separate buffer, which is bounded.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
    };
    this.#subscriber = openPubSub(options, { ...settings, autoResubscribe: false });
    this.#publisher = openPubSub(options, settings);
    this.#publisher.on('error', () => undefined); // the interrupted command is rejected with the same error
  }

  listen(handler: TransportListener, first: string): void {
    this.#handler = handler;
    this.#topics.add(first);
    this.#subscriber.on('message', (channel, frame) => handler.onFrame(channel.slice(this.#prefix.length), frame));
    this.#subscriber.on('error', (error) => this.#reportLost(error));
    this.#subscriber.on('close', () => this.#reportLost(new Error('The connection was closed')));
    this.#subscriber.on('ready', () => void this.#subscribe());
    // A failed first connection is retried like a lost one.
    for (const client of [this.#subscriber, this.#publisher]) client.connect().catch(() => undefined);
  }

  async add(topic: string): Promise<boolean> {
    this.#topics.add(topic);
    if (this.#subscriber.status !== 'ready' || this.#closed) return false;
    try {
      await this.#subscriber.subscribe(this.#prefix + topic);
      return true;
    } catch {
      if (!this.#closed) this.#subscriber.disconnect(true);
      return false;
    }
  }

  remove(topic: string): void {
    this.#topics.delete(topic);
    if (this.#subscriber.status === 'ready' && !this.#closed) this.#subscriber.unsubscribe(this.#prefix + topic).catch(() => undefined);
  }

  reconnectListener(): void {
    this.#subscriber.disconnect(true);
  }

  async send(frames: readonly Frame[]): Promise<void> {
    if (this.#publisher.status !== 'ready') await once(this.#publisher, 'ready', { signal: AbortSignal.timeout(this.#timeoutMs) });
    await Promise.all(frames.map(({ topic, text }) => this.#publisher.publish(this.#prefix + topic, text)));
  }

  async ping(): Promise<void> {
    if (!this.#listening || this.#closed) throw new Error('Live updates: the receiving connection is down');
    await Promise.all([this.#subscriber.ping(), this.#publisher.ping()]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const client of [this.#subscriber, this.#publisher]) client.disconnect();
  }

  /** What is added meanwhile is subscribed by `add`. */
  async #subscribe(): Promise<void> {
    try {
      await this.#subscriber.subscribe(...Array.from(this.#topics, (topic) => this.#prefix + topic));
      this.#listening = true;
      this.#failing = false;
      this.#handler?.onListening();
    } catch (error) {
      if (!this.#failing && !this.#closed) this.#handler?.onLost(error);
      this.#failing = true;
      this.#subscriber.disconnect(true);
    }
  }

  #reportLost(error: unknown): void {
    if (this.#closed || !this.#listening) return;
    this.#listening = false;
    this.#handler?.onLost(error);
  }
}
