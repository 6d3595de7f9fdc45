import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import { PostgresOutbox } from '../../src/engine/store/postgres-outbox.js';
import { PostgresSessionList } from '../../src/engine/store/postgres-session-list.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { freshDatabase, type TestDatabase } from './database.js';
import type { Encryption } from '../../src/ports/index.js';
import { NO_ENCRYPTION } from './encryption.js';

/** The real store on its own database. */
export interface PostgresStore {
  readonly urls: TestDatabase;
  readonly database: Database;
  readonly events: PostgresEventStore;
  readonly sessions: PostgresSessionList;
  readonly outbox: PostgresOutbox;
  close(): Promise<void>;
}

export async function postgresStore(
  choices: { readonly poolSize?: number; readonly timeoutMs?: number; readonly encryption?: Encryption } = {},
): Promise<PostgresStore> {
  const { encryption = NO_ENCRYPTION } = choices;
  const urls = await freshDatabase();
  const database = openDatabase(urls.appUrl, choices);
  return {
    urls,
    database,
    events: new PostgresEventStore(database, encryption),
    sessions: new PostgresSessionList(database, encryption),
    outbox: new PostgresOutbox(database),
    close: async () => {
      await database.close();
      await urls.drop();
    },
  };
}

/** Every receipt is two days older. */
export function agedReceipts({ urls }: PostgresStore): Promise<unknown> {
  return withConnection(urls.ownerUrl, 60_000, (owner) =>
    owner.query(
      `ALTER TABLE receipt DISABLE TRIGGER receipt_immutable; UPDATE receipt SET created_at = created_at - interval '2 days'; ALTER TABLE receipt ENABLE ALWAYS TRIGGER receipt_immutable`,
    ),
  );
}

export function openDatabase(url: string, { poolSize = 10, timeoutMs = 60_000 }: { readonly poolSize?: number; readonly timeoutMs?: number } = {}): Database {
  return new Database({ url, poolSize, timeoutMs, applicationName: 'verbatim test' });
}
