import { cacheLimits, reportRefusals } from './adapter-factories.js';
import { CachedSessions } from './engine/store/cached-sessions.js';
import { ColdLogs } from './engine/store/cold-logs.js';
import { LogArchives, type OnArchive } from './engine/store/log-archives.js';
import { PostgresEventStore } from './engine/store/postgres-event-store.js';
import type { ObjectStorage } from './platform/blobs/object-storage.js';
import type { Settings } from './platform/config/env.js';
import type { Database } from './platform/postgres/store/prisma.js';
import type { Encryption, Telemetry } from './ports/index.js';

export interface OpenStore {
  readonly store: PostgresEventStore;
  readonly sessions: CachedSessions;
  readonly cold: ColdLogs;
}

/** Logs, where they are archived, and the sessions that are folded from them. */
export function openStore(settings: Settings, database: Database, objects: ObjectStorage | null, encryption: Encryption, telemetry: Telemetry): OpenStore {
  const onRefusal = reportRefusals(telemetry);
  const onArchive: OnArchive = (operation, outcome) => telemetry.count('archive_operations', { operation, outcome });
  const archives = new LogArchives(database, objects, encryption, { orphanMs: settings.BLOB_ORPHAN_MS, onArchive });
  const terms = { language: settings.SEARCH_LANGUAGE, characters: settings.SEARCH_TEXT_CHARACTERS };
  const store = new PostgresEventStore(database, encryption, terms, settings.GROUP_COMMIT_SIZE, onRefusal, archives);
  return {
    store,
    sessions: new CachedSessions(store, settings.SESSION_CACHE_BYTES, cacheLimits(settings, telemetry, onRefusal)),
    cold: new ColdLogs(database, store, archives, { afterDays: settings.ARCHIVE_AFTER_DAYS ?? null, maxBytes: settings.ARCHIVE_MAX_BYTES }),
  };
}
