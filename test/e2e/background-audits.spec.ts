import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PostgresBlobs } from '../../src/platform/blobs/postgres-blobs.js';
import type { ProcessPool } from '../../src/platform/compute-pool/process-pool.js';
import { computeProcesses } from '../../src/adapter-factories.js';
import { OpenFeatureGates } from '../../src/platform/gates/openfeature-gates.js';
import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import { PostgresSessionList } from '../../src/engine/store/postgres-session-list.js';
import { PostgresTenantConfiguration } from '../../src/features/settings/postgres-tenant-configuration.js';
import type { Database } from '../../src/platform/postgres/store/prisma.js';
import { Sha256Digest } from '../../src/platform/system/sha256-digest.js';
import { readSettings } from '../../src/platform/config/env.js';
import { systemPrincipal } from '../../packages/protocol/access/principal.js';
import { BackgroundAudits } from '../../src/engine/audit/background-audits.js';
import { LogQueries } from '../../src/engine/queries/log-queries.js';
import { expectStatus } from '../support/client.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { openDatabase } from '../support/postgres-store.js';
import { NO_ENCRYPTION } from '../support/encryption.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('an audit in the background', () => {
  let server: TestServer;
  let owner: pg.Client;
  let database: Database;
  let blobs: PostgresBlobs;
  let pool: ProcessPool;
  let here: LogQueries;

  beforeAll(async () => {
    server = await startTestServer();
    const { ownerUrl, appUrl: url } = server.database;
    owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    const settings = readSettings({ DATABASE_URL: ownerUrl });
    pool = computeProcesses({ settings, models: [], databaseAt: { url }, directDatabaseUrl: url, standbyUrls: [], report: () => undefined });
    database = openDatabase(url);
    blobs = new PostgresBlobs({ url, timeoutMs: 60_000, applicationName: 'background audits spec' }, NO_ENCRYPTION);
    const store = new PostgresEventStore(database, NO_ENCRYPTION);
    const gates = await OpenFeatureGates.create(settings.GATES, new PostgresTenantConfiguration(database));
    const sessions = new CachedSessions(store, 0, { idleMs: 1, clock: () => performance.now() });
    here = new LogQueries(store, sessions, new PostgresSessionList(database, NO_ENCRYPTION), gates, settings, new Sha256Digest(), blobs, 'm');
  });
  afterAll(async () => {
    pool.close();
    await Promise.all([owner.end(), blobs.close(), database.close()]);
    await server.stop();
  });

  it('finds in a compute process what it finds here, and is made here when there is none', async () => {
    const { client } = server;
    const [whole, altered, erased, moved] = await Promise.all(Array.from({ length: 4 }, () => client.session()));
    for (const id of [whole, altered, erased, moved]) await client.ask(id!, [{ type: 'text', text: '{{say fine}}' }, image(PIXEL)]);
    const fork = expectStatus(await client.post(`/v1/sessions/${altered}/forks`, {}), 201).body.id;
    expectStatus(await client.call('DELETE', `/v1/sessions/${erased}`), 202);
    await owner.query('ALTER TABLE event DISABLE TRIGGER ALL');
    await owner.query(`UPDATE event SET data = '{}' WHERE session_id = $1 AND seq = 3`, [altered]);
    await owner.query('ALTER TABLE event ENABLE ALWAYS TRIGGER event_immutable, ENABLE ALWAYS TRIGGER event_no_truncate');
    await owner.query(`UPDATE session SET title = 'another' WHERE session_id = $1`, [moved]);
    const { tenant_id: tenantId } = (await owner.query('SELECT tenant_id FROM session LIMIT 1')).rows[0];
    const principal = systemPrincipal(tenantId, tenantId);

    const asked: string[] = [];
    const counting = {
      run: (task: Parameters<ProcessPool['run']>[0]) => {
        asked.push(task.kind);
        return pool.run(task);
      },
    };
    const failing = new BackgroundAudits({ audit: () => Promise.reject(new Error('it was made here')) } as never, counting as never);
    const gone = new BackgroundAudits(here, { run: () => Promise.reject(new Error('there is no such process')) } as never);
    const findings: (string | undefined)[] = [];
    for (const id of [whole!, altered!, erased!, moved!, fork]) {
      const expected = await here.audit(principal, id);
      findings.push(expected.finding);
      expect(await failing.audit(principal, id)).toEqual({ ...expected, hashes: Buffer.from(expected.hashes) });
      expect(await gone.audit(principal, id)).toEqual(expected);
    }
    expect(findings).toEqual([undefined, 'content', undefined, 'row', 'content']);
    expect(asked).toEqual(Array.from({ length: 5 }, () => 'audit'));
    await expect(gone.audit(principal, tenantId)).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(new BackgroundAudits(here, pool).audit(principal, tenantId)).rejects.toMatchObject({ code: 'session_not_found' });
  });
});
