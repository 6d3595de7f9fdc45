import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { prepareDatabase } from './prepare-database.js';

export interface DatabaseOptions {
  /** The owner's URL; undefined = the embedded server in `dataDir`. */
  readonly url: string | undefined;
  readonly appUrl: string | undefined;
  readonly dataDir: string;
  readonly migrations: string;
  readonly waitMs: number;
  readonly log: (line: string) => void;
}

export interface OpenDatabase {
  readonly ownerUrl: string;
  /** What the product connects with. */
  readonly appUrl: string;
  readonly embedded: boolean;
  /** To be called last: whoever uses the database must have let go of it. */
  close(): Promise<void>;
}

/** A database that is there, up to date and ready to be used. Throws a DatabaseError. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { url, appUrl, dataDir, migrations, waitMs, log } = options;
  const server: EmbeddedPostgres | null = url === undefined ? await startEmbeddedPostgres({ dataDir: `${dataDir}/postgres`, database: 'verbatim', log }) : null;
  const ownerUrl = url ?? server!.url;
  try {
    const prepared = await prepareDatabase({ ownerUrl, appUrl, migrations, waitMs });
    return { ownerUrl, appUrl: prepared.appUrl, embedded: server !== null, close: async () => server?.stop() };
  } catch (error) {
    await server?.stop();
    throw error;
  }
}
