import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client as Owner } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import { archivesAt, type TestArchives } from '../support/archives.js';
import type { Client } from '../support/client.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { CITUS, describeWith } from '../support/needs.js';
import { ScriptedS3 } from '../support/scripted-s3.js';
import { storeAt } from '../support/s3-server.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const WAIT_MS = 60_000;

/** Archives of cold sessions on a distributed database: docs/decisions/0490. */
describeWith(CITUS)('archives on a distributed database', () => {
  let distributed: DistributedPostgres;
  let owner: Owner;
  let s3: ScriptedS3;
  let server: TestServer;
  let database: Database;
  let cold: TestArchives;
  /** One on each node. */
  const tenants: { readonly client: Client; readonly id: string; readonly port: number }[] = [];

  beforeAll(async () => {
    distributed = await DistributedPostgres.start();
    s3 = await ScriptedS3.start();
    const ownerUrl = distributed.url(distributed.coordinator);
    owner = await connect(ownerUrl, WAIT_MS);
    const { appUrl } = appLogin(ownerUrl);
    server = await startTestServer(
      { BLOB_STORE: storeAt(s3.url), ARCHIVE_AFTER_DAYS: '1', ARCHIVE_INTERVAL_MS: '300', BLOB_REMOVAL_INTERVAL_MS: '100' },
      { ownerUrl, appUrl, drop: async () => undefined },
    );
    database = new Database({ url: appUrl, isDistributed: true, poolSize: 3, timeoutMs: WAIT_MS, applicationName: 'verbatim test' });
    cold = await archivesAt(s3.url, database); // of sessions that were used a moment ago
    for (let number = 1; tenants.length < 2; number += 1) {
      const client = await server.tenant(`tenant ${number}`);
      const id = (await client.get('/v1/me')).body.tenantId as string;
      const { rows } = await owner.query<{ port: number }>(
        `SELECT nodeport AS port FROM citus_shards WHERE table_name = 'event'::regclass AND shardid = get_shard_id_for_distribution_column('event', $1::uuid)`,
        [id],
      );
      if (tenants.every(({ port }) => port !== rows[0]!.port)) tenants.push({ client, id, port: rows[0]!.port });
    }
  });
  afterAll(async () => {
    await server?.stop();
    cold?.objects.close();
    await database?.close();
    await s3?.stop();
    await owner?.end();
    await distributed?.stop();
  });

  const rowsOf = async (tenant: string, id: string): Promise<readonly string[]> =>
    (await owner.query<{ row: string }>('SELECT e::text AS row FROM event e WHERE tenant_id = $1 AND session_id = $2 ORDER BY seq', [tenant, id])).rows.map(
      ({ row }) => row,
    );
  const isArchived = async (tenant: string, id: string): Promise<boolean> =>
    (await owner.query('SELECT FROM log_archive WHERE tenant_id = $1 AND session_id = $2 AND object IS NOT NULL', [tenant, id])).rows.length > 0;

  it('takes the events of cold sessions from the nodes of their tenants, and brings every row back byte for byte when one is read', async () => {
    const sessions = await Promise.all(
      tenants.map(async ({ client, id: tenant }) => {
        const id = await client.session({ title: 'cold' });
        for (const text of ['kingfisher', 'heron']) await client.ask(id, text);
        return { client, tenant, id, rows: await rowsOf(tenant, id), messages: await client.messages(id) };
      }),
    );
    for (const { tenant, id, rows } of sessions) {
      // Only when its events are leaves of the transparency log.
      await until(
        'the session is archived',
        async () => {
          expect((await cold.cold.archive(() => false)).failures).toEqual([]);
          return isArchived(tenant, id);
        },
        30,
      );
      expect(await rowsOf(tenant, id)).toEqual(rows.slice(-1));
    }
    expect((await cold.cold.size()).logs).toBeGreaterThanOrEqual(2);
    for (const { client, tenant, id, rows, messages } of sessions) {
      expect(await client.messages(id)).toEqual(messages);
      expect(await rowsOf(tenant, id)).toEqual(rows);
      expect(await client.ask(id, 'egret')).toMatchObject({ status: 'completed' });
      expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    }
  });

  it('takes no event that the archive of this transaction does not name', async () => {
    const [{ client, id: tenant }] = tenants as [(typeof tenants)[0]];
    const id = await client.session();
    await client.ask(id, 'stays');
    const before = await rowsOf(tenant, id);
    for (const transaction of ['', '1']) {
      await owner.query('BEGIN');
      await owner.query(`SET LOCAL verbatim.transaction = '${transaction}'`);
      await expect(owner.query('DELETE FROM event WHERE tenant_id = $1 AND session_id = $2', [tenant, id])).rejects.toMatchObject({ code: 'VB001' });
      await owner.query('ROLLBACK');
    }
    expect(await rowsOf(tenant, id)).toEqual(before);
  });
});
