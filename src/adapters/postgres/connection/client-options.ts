import pg from 'pg';
import { hasTenant, type TenantConfig, TenantQuery } from './tenant-query.js';

/** The server cancels a statement after its own timeout and says so; this much later the connection is taken for dead. */
export const QUERY_TIMEOUT_MARGIN_MS = 1_000;

/** Keepalive probes start after this silence, so that the kernel notices a dead peer of an idle connection in about a minute instead of two hours. */
const KEEP_ALIVE_DELAY_MS = 10_000;

/** The message of `pg` for a query that was not answered within `query_timeout`. */
const NO_ANSWER = 'Query read timeout';

/** Whether a query failed because it was not answered within `query_timeout`. */
export const isUnanswered = (error: unknown): boolean => error instanceof Error && error.message === NO_ANSWER;

/** How long `end` waits for the server to close its side. */
const CLOSE_MS = 1_000;

export interface ConnectionOptions {
  readonly url: string;
  /** As it appears in pg_stat_activity. */
  readonly applicationName: string;
  /** Milliseconds to establish a connection, and, plus a second, for the answer to one query. A query without an answer destroys its connection. */
  readonly timeoutMs: number;
}

/**
 * The options of every connection to Postgres, for a `pg.Client` or a `pg.Pool`. None of them is a startup parameter that a connection pooler would
 * reject: server-side timeouts are settings of the role, see app-role-settings.ts.
 */
export function clientOptions({ url, applicationName, timeoutMs }: ConnectionOptions): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs + QUERY_TIMEOUT_MARGIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    Client: BoundedClient,
  };
}

/** Open connections of this process. */
const open = new Set<BoundedClient>();

/**
 * A client that closes within a bounded time and does not end the process when its connection is lost. When one query has no answer, its connection and all
 * idle ones to the same server are closed. Otherwise a pool would hand out its silent
 * connections one after the other, each for the time of a query.
 */
export class BoundedClient extends pg.Client {
  #running = 0;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined); // a running query is rejected with the same error, and a pool replaces an idle client
    this.once('connect', () => open.add(this));
    this.once('end', () => open.delete(this));
  }

  override query = ((...parameters: unknown[]) => {
    const settle = this.#begin();
    const callback = parameters.at(-1);
    const given = typeof callback === 'function' ? [...parameters.slice(0, -1), settled(settle, callback as Callback)] : parameters;
    const send = super.query.bind(this) as (...all: readonly unknown[]) => unknown;
    const answer = hasTenant(given[0]) ? sendForTenant(send, given[0], given.slice(1)) : send(...given);
    if (answer instanceof Promise) answer.then(() => settle(null), settle);
    return answer;
  }) as pg.Client['query'];

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    // A peer that is silent never closes its side.
    const timer = setTimeout(() => this.connection.stream.destroy(), CLOSE_MS);
    this.once('end', () => clearTimeout(timer));
    if (!callback) return super.end().finally(() => clearTimeout(timer));
    super.end((error: Error) => {
      clearTimeout(timer);
      callback(error);
    });
  }

  #begin(): (error: unknown) => void {
    this.#running += 1;
    return (error) => {
      this.#running -= 1;
      if (isUnanswered(error)) this.#closeSilent();
    };
  }

  #closeSilent(): void {
    for (const client of open) {
      const isSuspect = client === this || (client.#running === 0 && client.host === this.host && client.port === this.port);
      if (isSuspect) client.connection.stream.destroy();
    }
  }
}

type Callback = (error: unknown, ...rest: readonly unknown[]) => void;

const settled =
  (settle: (error: unknown) => void, callback: Callback): Callback =>
  (error, ...rest) => {
    settle(error);
    callback(error, ...rest);
  };

/** As `query` of pg: with a callback, or a promise. */
function sendForTenant(send: (query: TenantQuery) => unknown, config: TenantConfig, rest: readonly unknown[]): unknown {
  const values = Array.isArray(rest[0]) ? (rest[0] as unknown[]) : config.values;
  const callback = rest.at(-1);
  if (typeof callback === 'function') return send(new TenantQuery(config, values, callback as Callback));
  return new Promise((resolve, reject) => send(new TenantQuery(config, values, (error, result) => (error ? reject(error as Error) : resolve(result)))));
}
