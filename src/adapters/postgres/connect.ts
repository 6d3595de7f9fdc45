import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseError, errorCode, errorText } from './database-error.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** The server is away, starting, stopping or full: trying again may help. */
const PASSING = new Set('ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN 57P01 57P02 57P03 53300 08006'.split(' '));

export function isPassing(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined ? /terminated|timeout/i.test(errorText(error)) : PASSING.has(code);
}

/**
 * A connection, tried again with growing pauses while the server does not answer, for `waitMs` in all.
 * Throws a DatabaseError that names the server, never the password.
 */
export async function connect(url: string, waitMs: number): Promise<pg.Client> {
  const deadline = Date.now() + waitMs;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      const client = new pg.Client({ connectionString: url, application_name: 'verbatim setup', connectionTimeoutMillis: Math.max(waitMs, 5_000) });
      client.on('error', () => undefined); // a connection lost later also rejects the query that it interrupts
      await client.connect();
      return client;
    } catch (error) {
      if (!isPassing(error)) throw refusal(url, error);
      const left = deadline - Date.now();
      if (left <= 0) {
        throw new DatabaseError(
          'database_unreachable',
          `No answer from Postgres at ${place(url)} within ${waitMs} ms (${errorText(error)}). Check that it runs, and the host and port of DATABASE_URL.`,
          { cause: error },
        );
      }
      await pause(Math.min(wait, left));
    }
  }
}

/** Runs on a connection of its own, which is closed whatever happens. */
export async function withConnection<Result>(url: string, waitMs: number, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connect(url, waitMs);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function refusal(url: string, error: unknown): DatabaseError {
  if (errorCode(error) === '3D000') {
    return new DatabaseError('database_missing', `Postgres at ${place(url)} has no such database. Create it, or correct the name in DATABASE_URL.`, {
      cause: error,
    });
  }
  return new DatabaseError(
    'database_refused',
    `Postgres at ${place(url)} refused the connection: ${errorText(error)}. Check user and password of the URL, and the server's pg_hba.conf.`,
    { cause: error },
  );
}

/** Host, port and database of a URL: enough to find the server, nothing that is secret. */
function place(url: string): string {
  if (!URL.canParse(url)) return 'an address that is not a URL';
  const { host, pathname, searchParams } = new URL(url);
  return `${host || (searchParams.get('host') ?? 'the local socket')}${pathname}`;
}
