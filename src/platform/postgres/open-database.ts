import type { WaitOptions } from './connection/wait-for-service.js';
import { loginAt, standbyUrls } from '../config/database-url.js';
import { refuseStandbys } from './distributed.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { prepareDatabase } from './prepare-database.js';
import { requireStandbys } from './replica/require-standbys.js';
import { retrySetup } from './retry-setup.js';

export interface DatabaseOptions extends Omit<WaitOptions, 'timeoutMs'> {
  /** The owner's URL; undefined = the embedded server in `dataDir`. */
  readonly url: string | undefined;
  readonly appUrl: string | undefined;
  /** Addresses of standbys; undefined: none. */
  readonly readUrl?: string | undefined;
  readonly dataDir: string;
  readonly migrations: string;
  readonly functions: string;
  readonly waitMs: number;
  readonly statementTimeoutMs: number;
  readonly setupTimeoutMs: number;
  readonly log: (line: string) => void;
}

export interface OpenDatabase {
  readonly ownerUrl: string;
  /** The application's login. */
  readonly appUrl: string;
  /** The same without a pooler in between. */
  readonly directUrl: string;
  /** The application's login at each address of standbys. */
  readonly standbyUrls: readonly string[];
  readonly embedded: boolean;
  /** Over nodes: see distributed.ts. */
  readonly isDistributed: boolean;
  /** Stops the embedded server, if any. Everything that uses the database must be closed before. */
  close(): Promise<void>;
}

/** A running database with the current schema. Throws a DatabaseError. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { url, readUrl, dataDir, log, ...prepare } = options;
  const { signal, waitMs } = options;
  const server =
    url === undefined ? await startEmbeddedPostgres({ dataDir: `${dataDir}/postgres`, database: 'verbatim', startTimeoutMs: waitMs, log, signal }) : null;
  const ownerUrl = url ?? server!.url;
  try {
    const { appUrl, directUrl, isDistributed } = await prepareDatabase({ ...prepare, ownerUrl });
    if (isDistributed) refuseStandbys(readUrl);
    const standbys = readUrl === undefined ? [] : standbyUrls(loginAt(readUrl, appUrl));
    if (standbys.length > 0) await retrySetup(options, () => requireStandbys(appUrl, standbys, options));
    return { ownerUrl, appUrl, directUrl, standbyUrls: standbys, isDistributed, embedded: server !== null, close: async () => server?.stop() };
  } catch (error) {
    await server?.stop();
    throw error;
  }
}
