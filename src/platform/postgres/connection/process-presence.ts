import pg from 'pg';
import { BoundedClient, clientOptions } from './client-options.js';

/** The first number of the locks; is_present looks for it. */
const LOCKS = 8150317;

const RECONNECT_MS = 500;

/** How long this process is present before it judges others: after a restart or a failover of the database all processes are absent until they have connected again. */
const SETTLED_MS = 5_000;

/** A renewal is overdue after this part of a lease: leases are renewed after each quarter. */
const OVERDUE = 1 / 3;

export interface PresenceOptions {
  /** Postgres itself: a pooler would keep the session, or share it. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly report: (problem: string, error: unknown) => void;
}

/**
 * Shows other processes that this one lives: a session of its own that holds a lock for each id under which the process holds leases. Postgres ends the session, and so releases
 * the locks, as soon as the process has died. A process that is frozen keeps it; one that is cut off keeps it until the server's keepalive notices. Nothing is decided by it
 * alone: a process that finds another absent also looks whether its renewal is overdue, so that a process which has only lost this session loses nothing.
 */
export class ProcessPresence {
  readonly #ids = new Set<string>();
  #client: pg.Client | null = null;
  #since = Infinity;
  #isConnecting = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(private readonly options: PresenceOptions) {}

  /** Returns at once. */
  hold(id: string): void {
    this.#ids.add(id);
    void this.#lock();
  }

  /**
   * How long the renewal of a lease must be overdue, in milliseconds, before an absent holder counts as dead. Null: this process cannot judge that, because its own session is too
   * young.
   */
  overdueMs(leaseMs: number): number | null {
    return performance.now() - this.#since > SETTLED_MS ? leaseMs * OVERDUE : null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  async #lock(): Promise<void> {
    if (this.#isConnecting || this.#isClosed) return;
    this.#isConnecting = true;
    try {
      const client = (this.#client ??= await this.#connect());
      for (let locked = 0; locked < this.#ids.size;) {
        const ids = [...this.#ids];
        await client.query('SELECT pg_advisory_lock_shared($1, hashtext(id)) FROM unnest($2::text[]) AS held(id)', [LOCKS, ids.slice(locked)]);
        locked = ids.length;
      }
      this.#since = Math.min(this.#since, performance.now());
    } catch (error) {
      this.options.report('Other processes do not see that this one lives; retrying', error);
      this.#lose(this.#client);
    } finally {
      this.#isConnecting = false;
    }
  }

  async #connect(): Promise<pg.Client> {
    const { url, timeoutMs } = this.options;
    const client = new BoundedClient(clientOptions({ url, applicationName: 'verbatim presence', timeoutMs }));
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    await client.connect();
    return client;
  }

  #lose(client: pg.Client | null): void {
    if (this.#isClosed || client !== this.#client) return;
    this.#client = null;
    this.#since = Infinity;
    void client?.end().catch(() => undefined);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#lock(), RECONNECT_MS).unref();
  }
}
