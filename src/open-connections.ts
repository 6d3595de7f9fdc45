import { openBlobs } from './platform/blobs/open-blobs.js';
import type { PostgresBlobs } from './platform/blobs/postgres-blobs.js';
import type { S3Storage } from './platform/blobs/s3-storage.js';
import { PostgresLiveBus } from './platform/live/postgres-live-bus.js';
import { RedisLiveBus } from './platform/live/redis-live-bus.js';
import type { SharedLiveBus } from './platform/live/shared-live-bus.js';
import { BullJobQueue } from './platform/queue/bull-job-queue.js';
import { postgresBackend } from './platform/queue/postgres-backend.js';
import { redisBackend } from './platform/queue/redis-backend.js';
import { ProcessPresence } from './platform/postgres/connection/process-presence.js';
import { Database } from './platform/postgres/store/prisma.js';
import { openReplica, type ReplicaReads } from './platform/postgres/replica/replica-reads.js';
import { PostgresTransparencyLog } from './features/proofs/log-store/postgres-transparency-log.js';
import type { Connections } from './adapter-factories.js';
import type { Encryption } from './ports/index.js';

export interface OpenConnections {
  readonly database: Database;
  /** Null: all reads are on the primary. */
  readonly replica: ReplicaReads | null;
  readonly blobs: PostgresBlobs;
  readonly transparencyLog: PostgresTransparencyLog;
  readonly live: SharedLiveBus;
  readonly queue: BullJobQueue;
  readonly presence: ProcessPresence;
}

/** Everything of this process that is connected to Postgres or Redis; docs/operations.md counts the connections. */
export function openConnections(
  { settings, databaseAt, directDatabaseUrl, standbyUrls, report }: Connections,
  encryption: Encryption,
  objects: S3Storage | null,
): OpenConnections {
  const database = new Database({
    ...databaseAt,
    poolSize: settings.DATABASE_POOL_SIZE,
    appendPoolSize: settings.DATABASE_APPEND_POOL_SIZE,
    timeoutMs: settings.DATABASE_TIMEOUT_MS,
    applicationName: `verbatim ${settings.ROLE}`,
  });
  const replica = openReplica(database, standbyUrls, settings, { applicationName: `verbatim ${settings.ROLE} reads`, report });
  const blobs = openBlobs(
    settings,
    objects,
    {
      ...databaseAt,
      timeoutMs: settings.DATABASE_TIMEOUT_MS,
      applicationName: `verbatim ${settings.ROLE} blobs`,
      poolSize: settings.DATABASE_BLOB_POOL_SIZE,
    },
    encryption,
  );
  const transparencyLog = new PostgresTransparencyLog(
    { ...databaseAt, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName: `verbatim ${settings.ROLE} transparency log` },
    database.nodes,
  );
  const isWorker = settings.ROLE !== 'api';
  const liveOptions = { isWorker, buckets: settings.LIVE_BUCKETS, report };
  const live = settings.REDIS_URL
    ? new RedisLiveBus({ url: settings.REDIS_URL, caFile: settings.REDIS_CA_FILE, ...liveOptions })
    : new PostgresLiveBus({ url: databaseAt.url, listenUrl: directDatabaseUrl, ...liveOptions });
  const presence = new ProcessPresence({ url: directDatabaseUrl, timeoutMs: settings.DATABASE_TIMEOUT_MS, report });
  const backend = settings.REDIS_URL
    ? redisBackend({ url: settings.REDIS_URL, caFile: settings.REDIS_CA_FILE })
    : postgresBackend({ url: databaseAt.url, listenUrl: directDatabaseUrl, presence, poolSize: settings.DATABASE_QUEUE_POOL_SIZE });
  const queue = new BullJobQueue({ backend, lockMs: settings.JOB_LOCK_MS, report });
  return { database, replica, blobs, transparencyLog, live, queue, presence };
}
