import { callbackify } from 'node:util';
import pg from 'pg';
import { hostUrls, mustBeWritable } from '../../config/database-url.js';
import { hasSettings, type LocalConfig, LocalQuery, type NodesConfig, type TenantConfig } from './tenant-query.js';
import { IS_STANDBY, standbyError, WritableHost } from './writable-host.js';

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

/** Where the rows of tenants are. */
export interface DatabaseAddress {
  readonly url: string;
  /** The database is distributed over nodes, which are to see the tenant of a statement. */
  readonly isDistributed?: boolean;
}

export interface ConnectionOptions extends DatabaseAddress {
  /** As it appears in pg_stat_activity. */
  readonly applicationName: string;
  /** Milliseconds to establish a connection, and, plus a second, for the answer to one query. A query without an answer destroys its connection. */
  readonly timeoutMs: number;
}

/**
 * The options of every connection to Postgres, for a `pg.Client` or a `pg.Pool`. None of them is a startup parameter that a connection pooler would
 * reject: server-side timeouts are settings of the role, see app-role-settings.ts.
 */
export function clientOptions({ url, applicationName, timeoutMs, isDistributed }: ConnectionOptions): pg.PoolConfig {
  return {
    ...addressOf(url),
    ...(isDistributed && { isDistributed }),
    application_name: applicationName,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs + QUERY_TIMEOUT_MARGIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    Client: BoundedClient,
  };
}

/** pg takes one host. Where there are several, or the address asks for it, the client looks for the one that takes writes. */
function addressOf(url: string): WritableConfig {
  const connectionString = hostUrls(url)[0]!;
  return mustBeWritable(url) ? { connectionString, writable: WritableHost.of(url) } : { connectionString };
}

interface WritableConfig extends pg.ClientConfig {
  readonly writable?: WritableHost;
  readonly isDistributed?: boolean;
}

/** Open connections of this process. */
const open = new Set<BoundedClient>();

/**
 * A client that closes within a bounded time and does not end the process when its connection is lost. When one query has no answer, its connection and all
 * idle ones to the same server are closed. Otherwise a pool would hand out its silent
 * connections one after the other, each for the time of a query.
 */
export class BoundedClient extends pg.Client {
  readonly #writable: WritableHost | null;
  readonly #isDistributed: boolean;
  readonly #timeoutMs: number;
  #running = 0;
  #ended = false;

  constructor(config?: WritableConfig) {
    super(config);
    this.#writable = config?.writable ?? null;
    this.#isDistributed = config?.isDistributed ?? false;
    this.#timeoutMs = config?.connectionTimeoutMillis ?? 0;
    this.on('error', () => undefined); // a running query is rejected with the same error, and a pool replaces an idle client
    this.once('connect', () => open.add(this));
    this.once('end', () => open.delete(this));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    if (this.#writable === null) return callback ? super.connect(callback) : super.connect();
    if (!callback) return this.#connectWritable(this.#writable);
    callbackify(this.#connectWritable.bind(this))(this.#writable, callback as (error: Error | null) => void);
  }

  override query = ((...parameters: unknown[]) => {
    const complete = this.#begin();
    const callback = parameters.at(-1);
    const given = typeof callback === 'function' ? [...parameters.slice(0, -1), completing(complete, callback as Callback)] : parameters;
    const send = super.query.bind(this) as (...all: readonly unknown[]) => unknown;
    const answer = hasSettings(given[0]) ? sendWithSettings(send, given[0], given.slice(1), this.#isDistributed) : send(...given);
    if (answer instanceof Promise) answer.then(() => complete(null), complete);
    return answer;
  }) as pg.Client['query'];

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.#ended = true;
    // A peer that is silent never closes its side.
    const timer = setTimeout(() => this.connection.stream.destroy(), CLOSE_MS);
    this.once('end', () => clearTimeout(timer));
    if (!callback) return super.end().finally(() => clearTimeout(timer));
    super.end((error: Error) => {
      clearTimeout(timer);
      callback(error);
    });
  }

  async #connectWritable(writable: WritableHost): Promise<pg.Client> {
    const place = await writable.locate(this.#timeoutMs);
    // Whoever waits for the connection may have given up: a pool then destroys the stream.
    if (this.#ended || this.connection.stream.destroyed) throw new Error('Connection terminated');
    Object.assign(this, place);
    Object.assign((this as unknown as { connectionParameters: object }).connectionParameters, place); // for the look into a password file
    try {
      await super.connect();
      const { rows } = await super.query<{ standby: boolean }>(IS_STANDBY);
      if (rows[0]!.standby) throw standbyError(place);
      return this;
    } catch (error) {
      writable.forget(place);
      void this.end().catch(() => undefined);
      throw error;
    }
  }

  #begin(): (error: unknown) => void {
    this.#running += 1;
    return (error) => {
      this.#running -= 1;
      if (isUnanswered(error)) this.silent();
    };
  }

  protected silent(): void {
    for (const client of open) {
      const isSuspect = client === this || (client.#running === 0 && client.host === this.host && client.port === this.port);
      if (isSuspect) client.connection.stream.destroy();
    }
  }
}

type Callback = (error: unknown, ...rest: readonly unknown[]) => void;

const completing =
  (complete: (error: unknown) => void, callback: Callback): Callback =>
  (error, ...rest) => {
    complete(error);
    callback(error, ...rest);
  };

/** As `query` of pg: with a callback, or a promise. */
function sendWithSettings(
  send: (...query: readonly unknown[]) => unknown,
  config: TenantConfig | LocalConfig | NodesConfig,
  rest: readonly unknown[],
  isDistributed: boolean,
): unknown {
  const values = Array.isArray(rest[0]) ? (rest[0] as unknown[]) : config.values;
  const callback = rest.at(-1);
  const sendTo = (answer: Callback): unknown => {
    const query: LocalQuery = new LocalQuery(
      config,
      values,
      (error, result) => (error && query.isBlock ? rollBack(send, error, answer) : answer(error, result)),
      isDistributed,
    );
    return send(query);
  };
  if (typeof callback === 'function') return sendTo(callback as Callback);
  return new Promise((resolve, reject) => sendTo((error, result) => (error ? reject(error as Error) : resolve(result))));
}

/** What comes next on the connection waits for the end of the transaction that has failed; a connection that is lost has none. */
function rollBack(send: (...query: readonly unknown[]) => unknown, error: unknown, answer: Callback): void {
  send('ROLLBACK', () => answer(error));
}
