import { type OpenDatabase, openDatabase } from '../platform/postgres/open-database.js';
import { Database } from '../platform/postgres/store/prisma.js';
import type { Settings } from '../platform/config/env.js';
import { SCHEMA_FOLDERS } from '../schema-folders.js';

/** Runs a command of the operator on the database of the settings, with a separate connection, and closes both. `command`: for pg_stat_activity. */
export async function withDatabase<T>(settings: Settings, command: string, use: (connection: Database, database: OpenDatabase) => Promise<T>): Promise<T> {
  const timeoutMs = settings.DATABASE_TIMEOUT_MS;
  const database = await openDatabase({
    url: settings.DATABASE_URL,
    appUrl: settings.DATABASE_APP_URL,
    dataDir: settings.DATA_DIR,
    ...SCHEMA_FOLDERS,
    waitMs: timeoutMs,
    statementTimeoutMs: timeoutMs,
    setupTimeoutMs: settings.DATABASE_SETUP_TIMEOUT_MS,
    log: () => undefined,
  });
  const connection = new Database({
    url: database.appUrl,
    isDistributed: database.isDistributed,
    poolSize: 1,
    timeoutMs,
    applicationName: `verbatim ${command}`,
  });
  try {
    return await use(connection, database);
  } finally {
    await connection.close();
    await database.close();
  }
}
