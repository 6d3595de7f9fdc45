import pg from 'pg';
import { hostUrls } from '../../config/database-url.js';
import { errorText } from '../database-error.js';
import { classifyError } from './classify-error.js';

/** A server that may be reached at `host`, or in that folder if it begins with a slash. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** A host that was found to take writes is the answer for so long; each connection proves it again. */
const FRESH_MS = 1_000;

/** The next host is asked when the one before it refuses, or after this much silence. */
const STAGGER_MS = 250;

/** SQLSTATE "read only transaction", with which a standby refuses a write: counts as a lost connection, so that the call is repeated. */
const READ_ONLY = '25006';

/**
 * The host of an address with several that takes writes. Hosts are asked in order, and one that does not answer does not hold up the others. A server never becomes a standby with
 * its connections open, so who asks on each new connection knows.
 */
export class WritableHost {
  static readonly #known = new Map<string, WritableHost>();

  /** Connections of this process to the same address find it once. */
  static of(url: string): WritableHost {
    const known = WritableHost.#known.get(url) ?? new WritableHost(hostUrls(url));
    WritableHost.#known.set(url, known);
    return known;
  }

  #found: { readonly host: Host; readonly at: number } | null = null;
  #search: Promise<Host> | null = null;

  private constructor(private readonly urls: readonly string[]) {}

  locate(timeoutMs: number): Promise<Host> {
    if (this.#found !== null && performance.now() - this.#found.at < FRESH_MS) return Promise.resolve(this.#found.host);
    return (this.#search ??= this.#find(timeoutMs).finally(() => (this.#search = null)));
  }

  /** A connection to this host has failed, or its server is a standby. */
  forget({ host, port }: Host): void {
    if (this.#found?.host.host === host && this.#found.host.port === port) this.#found = null;
  }

  async #find(timeoutMs: number): Promise<Host> {
    const host = await firstWritable(this.urls, timeoutMs);
    this.#found = { host, at: performance.now() };
    return host;
  }
}

/** Thrown for a server that answers and does not take writes. */
export function standbyError({ host, port }: Host): Error {
  return Object.assign(new Error(`the server at ${host}:${port} is a standby`), { code: READ_ONLY });
}

export const IS_STANDBY = 'SELECT pg_is_in_recovery() AS standby';

async function firstWritable(urls: readonly string[], timeoutMs: number): Promise<Host> {
  const failures: unknown[] = [];
  let before: Promise<unknown> = Promise.resolve();
  let isFound = false;
  const attempts = urls.map((url) => {
    const turn = before;
    const attempt = (async () => {
      await turn;
      if (isFound) throw new Error('not asked');
      return await proven(url, timeoutMs);
    })();
    before = Promise.race([attempt.then(stop, () => undefined), turn.then(() => silence())]);
    attempt.catch((error: unknown) => failures.push(error));
    return attempt;
  });
  return Promise.any(attempts).catch(() => {
    throw combined(failures);
  });

  function stop(): void {
    isFound = true;
  }
}

const silence = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, STAGGER_MS).unref());

/** Connects, asks, and closes again. */
async function proven(url: string, timeoutMs: number): Promise<Host> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'verbatim host check',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined);
  const { host, port } = client;
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>(IS_STANDBY);
    if (rows[0]!.standby) throw standbyError({ host, port });
    return { host, port };
  } catch (error) {
    throw Object.assign(new Error(`${host}:${port}: ${errorText(error)}`), { code: (error as { code?: string }).code });
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** What a login or a database that no host accepts has to say is kept as it is; anything else may pass. */
function combined(failures: readonly unknown[]): unknown {
  if (failures.every((failure) => classifyError(failure) === null && (failure as { code?: string }).code !== undefined)) return failures[0];
  return Object.assign(new Error(`No server of the address takes writes (${failures.map(errorText).join('; ')})`), { code: READ_ONLY });
}
