import pg from 'pg';
import { PostgresListener } from './postgres-listener.js';
import { BoundedClient, clientOptions } from '../postgres/connection/client-options.js';
import type { LocalConfig } from '../postgres/connection/tenant-query.js';
import { DEFAULT_TIMEOUT_MS, type Frame, reconnectPause, type Transport, type TransportListener, type TransportOptions } from './transport.js';

export interface PostgresTransportOptions extends TransportOptions {
  /** Without a pooler in between, for LISTEN. Default: `url`. */
  readonly listenUrl?: string;
}

/** The name of these connections in pg_stat_activity. */
export const POSTGRES_APPLICATION_NAME = 'verbatim live';

/**
 * LISTEN on one connection, NOTIFY on another, both outside of transactions: a commit with notifications takes a lock on the whole database, so that NOTIFY inside an
 * append would serialize all appends. A transaction pooler in between would break LISTEN.
 */
export class PostgresTransport implements Transport {
  /** A payload must be shorter than 8,000 bytes (PostgreSQL manual, NOTIFY). */
  readonly frameBytes = 7_999;
  readonly #url: string;
  readonly #listenUrl: string;
  readonly #prefix: string;
  /** Those of the topics to receive. */
  readonly #channels = new Set<string>();
  readonly #timeoutMs: number;
  #handler: TransportListener | null = null;
  #listener: PostgresListener | null = null;
  #notifier: Promise<pg.Client> | null = null;
  /** The last query of the sending connection. */
  #sent: Promise<void> = Promise.resolve();
  #pinging: Promise<void> | null = null;
  #retry: NodeJS.Timeout | undefined;
  #attempts = 0;
  #closed = false;

  constructor(options: PostgresTransportOptions) {
    this.#url = options.url;
    this.#listenUrl = options.listenUrl ?? options.url;
    this.#prefix = `${options.channel ?? 'verbatim_live'} `;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  listen(handler: TransportListener, first: string): void {
    this.#handler = handler;
    this.#channels.add(this.#prefix + first);
    void this.#connectListener();
  }

  async add(topic: string): Promise<boolean> {
    this.#channels.add(this.#prefix + topic);
    const listener = this.#listener;
    if (!listener) return false;
    await this.#update(listener);
    return this.#listener === listener;
  }

  remove(topic: string): void {
    this.#channels.delete(this.#prefix + topic);
    if (this.#listener) void this.#update(this.#listener);
  }

  reconnectListener(): void {
    const listener = this.#listener;
    if (listener) this.#lose(listener.client, new Error('The connection is silent'));
  }

  async send(frames: readonly Frame[]): Promise<void> {
    await this.#query({
      name: 'notify',
      text: 'SELECT count(pg_notify(channel, frame)) FROM unnest($1::text[], $2::text[]) AS sent(channel, frame)',
      values: [frames.map(({ topic }) => this.#prefix + topic), frames.map(({ text }) => text)],
      // A hint that is lost in a server crash is covered by the reconnection, so no commit has to wait for the disk. Of this statement: a pooler would carry a setting of the session to others.
      local: { synchronous_commit: 'off' },
    });
  }

  /** Several at a time share one: a connection carries one query after the other, and pg warns of a queue. */
  ping(): Promise<void> {
    return (this.#pinging ??= this.#ping().finally(() => {
      this.#pinging = null;
    }));
  }

  async #ping(): Promise<void> {
    if (!this.#listener || this.#closed) throw new Error('Live updates: the receiving connection is down');
    await Promise.all([this.#pingListener(this.#listener), this.#query({ text: 'SELECT 1' })]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const notifier = await this.#notifier?.catch(() => null);
    await Promise.all([this.#listener?.client, notifier].map((client) => client && closeClient(client)));
  }

  async #connectListener(): Promise<void> {
    let client: pg.Client | undefined;
    try {
      client = await this.#connect(this.#listenUrl, (error) => client && this.#lose(client, error));
      if (this.#closed) return await closeClient(client);
      const listener = new PostgresListener(client, this.#channels);
      this.#listener = listener;
      client.on('notification', ({ channel, payload }) => this.#handler?.onFrame(channel.slice(this.#prefix.length), payload ?? ''));
      await listener.update();
      if (this.#listener !== listener) return; // lost since
      this.#attempts = 0;
      this.#handler?.onListening();
    } catch (error) {
      this.#lose(client ?? null, error);
    }
  }

  #lose(client: pg.Client | null, error: unknown): void {
    if (this.#closed || client !== (this.#listener?.client ?? null)) return;
    this.#listener = null;
    if (client) void closeClient(client);
    if (this.#attempts === 0) this.#handler?.onLost(error);
    this.#attempts += 1;
    this.#retry = setTimeout(() => void this.#connectListener(), reconnectPause(this.#attempts));
  }

  async #update(listener: PostgresListener): Promise<void> {
    await listener.update().catch((error: unknown) => this.#lose(listener.client, error));
  }

  /** A listener that receives may still be unable to send, which only a query shows. */
  async #pingListener(listener: PostgresListener): Promise<void> {
    try {
      await listener.ping();
    } catch (error) {
      this.#lose(listener.client, error);
      throw error;
    }
  }

  /** One after the other, as on the receiving connection. A failed query may be unanswered, and would block the connection: it is replaced. */
  #query(query: pg.QueryConfig | LocalConfig): Promise<void> {
    const done = this.#sent.then(async () => {
      const notifier = await this.#getNotifier();
      try {
        await notifier.query(query);
      } catch (error) {
        this.#notifier = null;
        void closeClient(notifier);
        throw error;
      }
    });
    this.#sent = done.catch(() => undefined);
    return done;
  }

  #getNotifier(): Promise<pg.Client> {
    if (this.#closed) return Promise.reject(new Error('Live updates are closed'));
    const notifier: Promise<pg.Client> = (this.#notifier ??= this.#connectNotifier(() => {
      if (this.#notifier === notifier) this.#notifier = null;
    }));
    return notifier;
  }

  async #connectNotifier(forget: () => void): Promise<pg.Client> {
    try {
      return await this.#connect(this.#url, forget);
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #connect(url: string, onLost: (error: unknown) => void): Promise<pg.Client> {
    const client = new BoundedClient(clientOptions({ url, applicationName: POSTGRES_APPLICATION_NAME, timeoutMs: this.#timeoutMs }));
    client.on('error', onLost);
    client.on('end', () => onLost(new Error('The connection was closed')));
    try {
      await client.connect();
      return client;
    } catch (error) {
      void closeClient(client);
      throw error;
    }
  }
}

async function closeClient(client: pg.Client): Promise<void> {
  client.removeAllListeners('notification');
  await client.end().catch(() => undefined);
}
