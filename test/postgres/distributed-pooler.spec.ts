import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client as Owner } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { refusePooledNodes } from '../../src/platform/postgres/distributed.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import { ClaudeFile, text } from '../support/claude-file.js';
import { type Client, expectStatus } from '../support/client.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { expectNothingLost } from '../support/ledger.js';
import { CITUS, describeWith, PGBOUNCER } from '../support/needs.js';
import { PgBouncer } from '../support/pgbouncer.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { portOf } from '../support/tenants-on-nodes.js';

const WAIT_MS = 60_000;
const POOL_SIZE = 5;

/** Of a prompt and its answer each. */
const EXCHANGES = 5_000;

describeWith(CITUS, PGBOUNCER)('a distributed database with PgBouncer in transaction mode before the coordinator', () => {
  let distributed: DistributedPostgres;
  let owner: Owner;
  let server: TestServer;
  let bouncer: PgBouncer;
  /** One on each node. */
  const tenants: { readonly client: Client; readonly id: string; readonly port: number }[] = [];

  beforeAll(async () => {
    distributed = await DistributedPostgres.start({ settings: [] });
    const ownerUrl = distributed.url(distributed.coordinator);
    owner = await connect(ownerUrl, WAIT_MS);
    const { appUrl } = appLogin(ownerUrl);
    bouncer = await PgBouncer.start(appUrl, POOL_SIZE, 'transaction', 'auth_type = trust');
    const database = { ownerUrl, appUrl, drop: async () => undefined };
    server = await startTestServer({ DATABASE_APP_URL: bouncer.url, DATABASE_TIMEOUT_MS: '30000', ERASURE_INTERVAL_MS: '500' }, database);
    for (let number = 1; tenants.length < 2; number += 1) {
      const client = await server.tenant(`tenant ${number}`);
      const id = (await client.get('/v1/me')).body.tenantId as string;
      const port = await portOf(owner, id);
      if (tenants.every((tenant) => tenant.port !== port)) tenants.push({ client, id, port });
    }
  });
  afterAll(async () => {
    await server?.stop();
    await owner?.end();
    await bouncer?.stop();
    await distributed?.stop();
  });

  it('completes prompts of many sessions of both nodes at once, and loses none', async () => {
    await Promise.all(
      tenants.flatMap(({ client }) =>
        Array.from({ length: 2 * POOL_SIZE }, async () => {
          const id = await client.session();
          const stream = await client.stream(id);
          const { promptId } = (await client.prompt(id, '{{slow 5}}{{long 30}}')).body as { promptId: string };
          await stream.untilType('turn.completed');
          stream.close();
          await expectNothingLost(client, id, [promptId]);
          expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
        }),
      ),
    );
  });

  it('shows each statement the rows of its tenant, however its sessions are shared', async () => {
    const connection = new Database({ url: bouncer.url, isDistributed: true, poolSize: 4 * POOL_SIZE, timeoutMs: 30_000, applicationName: 'verbatim test' });
    try {
      const seen = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const none = connection.run((client) => client.$queryRaw<object[]>`SELECT tenant_id::text AS id FROM tenant`);
          const { id } = tenants[index % 2]!;
          return [id, await connection.inTenant(id, (client) => client.$queryRaw<object[]>`SELECT tenant_id::text AS id FROM tenant`), await none];
        }),
      );
      for (const [id, mine, none] of seen) expect([mine, none]).toEqual([[{ id }], []]);
    } finally {
      await connection.close();
    }
  });

  it('imports a session file of Claude Code with 10,000 messages, and its export, and continues both', async () => {
    const { client } = tenants[0]!;
    const file = new ClaudeFile();
    for (let n = 0; n < EXCHANGES; n += 1) {
      file.user(`u${n}`, n === 0 ? null : `a${n - 1}`, `prompt ${n}`);
      file.piece(`a${n}`, `u${n}`, `msg_${n}`, text(`answer ${n}`), { stop: 'end_turn' });
    }
    const send = (body: string) => client.call('POST', '/v1/imports', body, { 'content-type': 'application/x-ndjson' });
    const first = expectStatus(await send(file.text), 201).body;
    expect(first).toMatchObject({ imported: 2 * EXCHANGES });
    const copy = (await client.get<string>(`/v1/sessions/${first.id}/export?format=jsonl&branches=all`)).body;
    const second = expectStatus(await send(copy), 201).body;
    expect(second).toMatchObject({ imported: 2 * EXCHANGES });
    for (const { id } of [first, second]) {
      const { promptId } = (await client.prompt(id, 'and then')).body as { promptId: string };
      await expectNothingLost(client, id, [promptId]);
      expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    }
  });

  it('is refused before a node: it would hide that the node is away', async () => {
    await refusePooledNodes(owner);
    const place = `host=127.0.0.1 port=${new URL(bouncer.url).port}`;
    await owner.query('INSERT INTO pg_dist_poolinfo SELECT nodeid, $1 FROM pg_dist_node WHERE nodeport = $2', [place, tenants[0]!.port]);
    try {
      await expect(refusePooledNodes(owner)).rejects.toMatchObject({ code: 'database_distributed', message: expect.stringContaining(place) });
    } finally {
      await owner.query('DELETE FROM pg_dist_poolinfo');
    }
  });
});
