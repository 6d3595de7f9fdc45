import type pg from 'pg';
import { placeOf } from '../config/database-url.js';
import { classifyError } from './connection/classify-error.js';
import { BoundedClient, clientOptions, isUnanswered } from './connection/client-options.js';
import { waitForService, type WaitOptions } from './connection/wait-for-service.js';
import { DatabaseError, errorCode, errorText } from './database-error.js';

/** Per attempt, so that an address that drops packets is reported before the whole wait is over. */
const CONNECT_TIMEOUT_MS = 5_000;

/** For `query_timeout` of a statement that may take any time, such as a migration: the longest time that a timer can have. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

export interface SetupOptions extends Omit<WaitOptions, 'timeoutMs'> {
  /** Milliseconds for the answer to one statement; absent: no limit. Without an answer its connection is destroyed. */
  readonly setupTimeoutMs?: number | undefined;
}

/** Whether the server is away, starting, stopping or full, so that a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return classifyError(error) !== null || (errorCode(error) === undefined && /timeout/i.test(errorText(error)));
}

/**
 * Opens a connection for setup and administration. Retries while the server does not answer, for `waitMs` in all.
 * Throws a DatabaseError that names the server, never the password.
 */
export async function connect(url: string, waitMs: number, { setupTimeoutMs, ...wait }: SetupOptions = {}): Promise<pg.Client> {
  const { query_timeout: _, ...unlimited } = clientOptions({ url, applicationName: 'verbatim setup', timeoutMs: CONNECT_TIMEOUT_MS });
  const options = { ...unlimited, ...(setupTimeoutMs === undefined ? {} : { query_timeout: setupTimeoutMs }) };
  const attempt = async (): Promise<pg.Client> => {
    const client = new BoundedClient(options);
    try {
      await client.connect();
      return client;
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
  };
  try {
    return await waitForService(`Postgres at ${place(url)}`, { ...wait, timeoutMs: waitMs }, attempt, isTransient);
  } catch (error) {
    wait.signal?.throwIfAborted();
    if (!isTransient(error)) throw rejectedConnection(url, error);
    throw new DatabaseError(
      'database_unreachable',
      `Postgres at ${place(url)} did not answer${waitMs > 0 ? ` within ${Math.round(waitMs)} ms` : ''} (${errorText(error)}). Check that it runs, and the host and port of DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Runs `use` on its own connection and closes it. */
export async function withConnection<Result>(
  url: string,
  waitMs: number,
  use: (client: pg.Client) => Promise<Result>,
  wait: SetupOptions = {},
): Promise<Result> {
  const client = await connect(url, waitMs, wait);
  try {
    return await use(client);
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    throw new DatabaseError(
      'database_silent',
      `Postgres at ${place(url)} did not answer a statement of the setup within ${wait.setupTimeoutMs} ms. Check the network and the load of the server, or raise DATABASE_SETUP_TIMEOUT_MS.`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

function rejectedConnection(url: string, error: unknown): DatabaseError {
  if (errorCode(error) === '3D000') {
    return new DatabaseError('database_missing', `Postgres at ${place(url)} has no such database. Create it, or correct the name in DATABASE_URL.`, {
      cause: error,
    });
  }
  return new DatabaseError(
    'database_refused',
    `Postgres at ${place(url)} rejected the connection: ${errorText(error)}. Check user and password of the URL, and pg_hba.conf on the server.`,
    { cause: error },
  );
}

function place(url: string): string {
  try {
    return placeOf(url);
  } catch {
    return 'an address that is not a URL';
  }
}
