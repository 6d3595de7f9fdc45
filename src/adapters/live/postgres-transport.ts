import pg from 'pg';
import { DEFAULT_TIMEOUT_MS, reconnectPause, type Ears, type Transport, type TransportOptions } from './transport.js';

/** How these connections are called in `pg_stat_activity`. */
export const POSTGRES_APPLICATION_NAME = 'verbatim live';

/** With this silence a dead peer of the connection is noticed in seconds instead of hours. */
const KEEP_ALIVE_MS = 10_000;

/**
 * LISTEN on one connection, NOTIFY on another, both without a transaction around them: a notification inside an append
 * would make every append of the server wait for the one before it. Needs connections of its own, not a pooler's.
 */
export class PostgresTransport implements Transport {
  /** A payload must be shorter than 8,000 bytes (PostgreSQL manual, NOTIFY). */
  readonly frameBytes = 7_999;
  readonly #url: string;
  readonly #channel: string;
  readonly #timeoutMs: number;
  #ears: Ears | null = null;
  #listener: pg.Client | null = null;
  #speaker: Promise<pg.Client> | null = null;
  #retry: NodeJS.Timeout | undefined;
  #attempts = 0;
  #closed = false;

  constructor(options: TransportOptions) {
    this.#url = options.url;
    this.#channel = options.channel ?? 'verbatim_live';
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  listen(ears: Ears): void {
    this.#ears = ears;
    void this.#connectListener();
  }

  relisten(): void {
    const listener = this.#listener;
    if (listener) this.#lose(listener, new Error('The connection is silent'));
  }

  async send(frames: readonly string[]): Promise<void> {
    const speaker = await this.#speak();
    try {
      await speaker.query({ name: 'notify', text: 'SELECT count(pg_notify($1, frame)) FROM unnest($2::text[]) AS frame', values: [this.#channel, frames] });
    } catch (error) {
      this.#speaker = null;
      void end(speaker);
      throw error;
    }
  }

  async ping(): Promise<void> {
    if (!this.#listener || this.#closed) throw new Error('Live updates: no connection to listen on');
    await Promise.all([this.#listener.query('SELECT 1'), this.#speak().then((speaker) => speaker.query('SELECT 1'))]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const speaker = await this.#speaker?.catch(() => null);
    await Promise.all([this.#listener, speaker].map((client) => client && end(client)));
  }

  async #connectListener(): Promise<void> {
    let client: pg.Client | undefined;
    try {
      client = await this.#connect((error) => client && this.#lose(client, error));
      if (this.#closed) return await end(client);
      this.#listener = client;
      client.on('notification', ({ payload }) => this.#ears?.onFrame(payload ?? ''));
      await client.query(`LISTEN ${pg.escapeIdentifier(this.#channel)}`);
      if (this.#listener !== client) return; // lost meanwhile
      this.#attempts = 0;
      this.#ears?.onListening();
    } catch (error) {
      this.#lose(client ?? null, error);
    }
  }

  #lose(client: pg.Client | null, error: unknown): void {
    if (this.#closed || client !== this.#listener) return;
    this.#listener = null;
    if (client) void end(client);
    if (this.#attempts === 0) this.#ears?.onLost(error);
    this.#attempts += 1;
    this.#retry = setTimeout(() => void this.#connectListener(), reconnectPause(this.#attempts));
  }

  #speak(): Promise<pg.Client> {
    if (this.#closed) return Promise.reject(new Error('Live updates: closed'));
    const speaker: Promise<pg.Client> = (this.#speaker ??= this.#connectSpeaker(() => {
      if (this.#speaker === speaker) this.#speaker = null;
    }));
    return speaker;
  }

  async #connectSpeaker(forget: () => void): Promise<pg.Client> {
    try {
      const client = await this.#connect(forget);
      // A hint that a crash of the server swallows is made up for by the reconnection; nobody need wait for the disk.
      await client.query('SET synchronous_commit TO off');
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #connect(onLost: (error: unknown) => void): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: POSTGRES_APPLICATION_NAME,
      connectionTimeoutMillis: this.#timeoutMs,
      query_timeout: this.#timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    client.on('error', onLost); // without a listener it would end the process
    client.on('end', () => onLost(new Error('The connection has ended')));
    try {
      await client.connect();
      return client;
    } catch (error) {
      void end(client);
      throw error;
    }
  }
}

async function end(client: pg.Client): Promise<void> {
  client.removeAllListeners('notification');
  await client.end().catch(() => undefined);
}
