import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { setTenantLocally } from '../../src/platform/postgres/connection/tenant-query.js';
import { connect, withConnection } from '../../src/platform/postgres/connect.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { BOUNDS, REMEMBERS, TEXTS } from '../support/exported-statements.js';
import { SESSION, TENANT, USER } from '../support/filled-store.js';
import { CITUS, describeWith } from '../support/needs.js';

const WAIT_MS = 60_000;

/** What the nodes of a distributed database cannot do is refused when a statement is planned, or when it writes the first row: docs/decisions/0490. */
describeWith(CITUS)('the statement, on a distributed database,', () => {
  let distributed: DistributedPostgres;
  let app: Client;

  beforeAll(async () => {
    distributed = await DistributedPostgres.start();
    await withConnection(distributed.url(distributed.coordinator), WAIT_MS, async (owner) => {
      await owner.query('INSERT INTO tenant (tenant_id, name) VALUES ($1, $2)', [TENANT, 't']);
      for (const user of [USER, REMEMBERS.userId])
        await owner.query('INSERT INTO app_user (tenant_id, user_id, name) VALUES ($1, $2, $3)', [TENANT, user, 'u']);
      const file = `sha256('1')`;
      await owner.query(`INSERT INTO blob (tenant_id, sha256, media_type, bytes) VALUES ($1, ${file}, 'image/png', '1')`, [TENANT]);
      await owner.query(`INSERT INTO blob_use (tenant_id, session_id, sha256) VALUES ($1, $2, ${file})`, [TENANT, SESSION]);
      await owner.query(
        `INSERT INTO memory_change (tenant_id, user_id, version, file_id, body, session_id, call_id, changed_by) VALUES ($1, $2, 1, gen_random_uuid(), '{}', $3, '1', $4)`,
        [TENANT, REMEMBERS.userId, SESSION, USER],
      );
      await owner.query(`INSERT INTO tlog_checkpoint SELECT 20000, sha256(''), 'note', 'key', '3', 20000`);
    });
    app = await connect(appLogin(distributed.url(distributed.coordinator)).appUrl, WAIT_MS);
  });
  afterAll(async () => {
    await app?.end();
    await distributed?.stop();
  });

  it.each(Object.entries({ ...BOUNDS, ...TEXTS }))('%s is answered', async (_, { of }) => {
    const { text, values } = of();
    await app.query('BEGIN');
    try {
      await app.query(setTenantLocally(TENANT));
      expect(Array.isArray((await app.query(text, [...values])).rows)).toBe(true);
    } finally {
      await app.query('ROLLBACK');
    }
  });
});
