import { ColdLogs } from '../../src/engine/store/cold-logs.js';
import { LogArchives } from '../../src/engine/store/log-archives.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import { S3Storage } from '../../src/platform/blobs/s3-storage.js';
import { parseBlobStore } from '../../src/platform/config/blob-store-url.js';
import type { Database } from '../../src/platform/postgres/store/prisma.js';
import type { Encryption } from '../../src/ports/index.js';
import { NO_ENCRYPTION } from './encryption.js';
import { storeAt } from './s3-server.js';

/** No time at all: what was appended a moment ago is cold. */
export const AT_ONCE = 1e-9;

export interface TestArchives {
  readonly objects: S3Storage;
  readonly archives: LogArchives;
  readonly cold: ColdLogs;
  /** A store that brings logs back. */
  readonly store: PostgresEventStore;
}

/** What archives logs in the object storage at `url`, in this process. */
export async function archivesAt(url: string, database: Database, encryption: Encryption = NO_ENCRYPTION, maxBytes = 16_000_000): Promise<TestArchives> {
  const objects = await S3Storage.open({ address: parseBlobStore(storeAt(url)), timeoutMs: 60_000 });
  const archives = new LogArchives(database, objects, encryption, { orphanMs: 3_600_000 });
  const store = new PostgresEventStore(database, encryption, undefined, undefined, undefined, archives);
  return { objects, archives, store, cold: new ColdLogs(database, store, archives, { afterDays: AT_ONCE, maxBytes }) };
}
