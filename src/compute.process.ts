import 'reflect-metadata';
import { openBlobs, openStorage } from './platform/blobs/open-blobs.js';
import { OpenFeatureGates } from './platform/gates/openfeature-gates.js';
import { serveComputeTasks, type Worker } from './platform/compute-pool/serve.js';
import { openEncryption } from './platform/encryption/open-encryption.js';
import { CachedSessions } from './engine/store/cached-sessions.js';
import { logOn } from './engine/store/confirmed-event-log.js';
import { LogArchives } from './engine/store/log-archives.js';
import { PostgresEventStore } from './engine/store/postgres-event-store.js';
import { PostgresSessionList } from './engine/store/postgres-session-list.js';
import { PostgresTenantConfiguration } from './features/settings/postgres-tenant-configuration.js';
import type { DatabaseAddress } from './platform/postgres/connection/client-options.js';
import { openReplica } from './platform/postgres/replica/replica-reads.js';
import { Database } from './platform/postgres/store/prisma.js';
import { Sha256Digest } from './platform/system/sha256-digest.js';
import type { Settings } from './platform/config/env.js';
import { type OwnModel, useOwnModels } from '../packages/normalizer/models/own-models.js';
import { DEFAULT_MODEL } from '../packages/normalizer/models/profiles.js';
import { readNormalizeBody } from './http/body/normalize-body.js';
import { computedAudit } from './engine/audit/background-audits.js';
import { LogQueries } from './engine/queries/log-queries.js';
import { repairAnswer } from './features/gateway/repaired-request.js';
import { checkEvery, dropErased } from './features/erasure/erased-sessions.js';

/** Setup message from the process that starts this one. */
export interface ComputeSetup {
  readonly settings: Settings;
  /** As that process read them at its start: a file that was changed since counts from the next start on. */
  readonly models: readonly OwnModel[];
  readonly databaseAt: DatabaseAddress;
  /** The same login at each address of standbys. */
  readonly standbyUrls: readonly string[];
}

/** A task uses one connection at a time; the second replaces a broken one. */
const CONNECTIONS = 2;

/** Drops what this process keeps of a session. */
let forget = (_tenantId: string, _sessionId: string): void => undefined;

/** Program of a compute process: answers expensive queries with the same code as the server, on its own event loop. */
async function open(setup: unknown): Promise<Worker> {
  const { settings, models, databaseAt, standbyUrls } = setup as ComputeSetup;
  useOwnModels(models);
  const applicationName = `verbatim ${settings.ROLE} compute`;
  const encryption = await openEncryption(settings);
  const database = new Database({ ...databaseAt, poolSize: CONNECTIONS, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName });
  const replica = openReplica(database, standbyUrls, settings, { poolSize: CONNECTIONS, applicationName, report: () => undefined });
  const objects = await openStorage(settings);
  const blobs = openBlobs(settings, objects, { ...databaseAt, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName }, encryption);
  const archives = new LogArchives(database, objects, encryption, { orphanMs: settings.BLOB_ORPHAN_MS });
  const store = new PostgresEventStore(database, encryption, undefined, undefined, undefined, archives);
  const { SESSION_CACHE_BYTES, SESSION_CACHE_IDLE_MS: idleMs } = settings;
  const sessions = new CachedSessions(store, SESSION_CACHE_BYTES, { idleMs, clock: () => performance.now() });
  setInterval(() => void dropErased(sessions, encryption, idleMs).catch(() => undefined), checkEvery(idleMs)); // the next time tries again
  forget = (tenantId, sessionId) => {
    sessions.forget(tenantId, sessionId);
    encryption.drop(sessionId);
  };
  const gates = await OpenFeatureGates.create(settings.GATES, new PostgresTenantConfiguration(database));
  const model = settings.MODEL ?? DEFAULT_MODEL;
  const log = logOn(replica, store, encryption);
  const queries = new LogQueries(log, sessions.reading(log), new PostgresSessionList(database, encryption), gates, settings, new Sha256Digest(), blobs, model);
  return async (task) => {
    switch (task.kind) {
      case 'normalize':
        return queries.normalize(await readNormalizeBody(task.body, settings));
      case 'payload':
        return queries.payload(task.principal, task.sessionId, task.input);
      case 'request':
        return queries.request(task.principal, task.sessionId, task.requestId);
      case 'synthetic':
        return queries.synthetic(task.principal, task.sessionId, task.requestId);
      case 'audit':
        return computedAudit(await queries.audit(task.principal, task.sessionId, task.newestRequests));
      case 'repair':
        return repairAnswer(task.body);
      case 'fit':
        throw new Error('this program does not decode images; the image process does');
    }
  };
}

serveComputeTasks(open, ({ tenantId, sessionId }) => forget(tenantId, sessionId));
