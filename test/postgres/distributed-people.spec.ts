import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client as Owner } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { Browser } from '../support/browser.js';
import { type Client, expectStatus } from '../support/client.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { CITUS, describeWith } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** Users and their credentials on a distributed database, whose nodes take fewer kinds of changes than one Postgres: docs/decisions/0490. */
describeWith(CITUS)('people on a distributed database', () => {
  let postgres: DistributedPostgres;
  let owner: Owner;
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    postgres = await DistributedPostgres.start();
    const ownerUrl = postgres.url(postgres.coordinator);
    owner = await connect(ownerUrl, 60_000);
    const database = { ownerUrl, appUrl: appLogin(ownerUrl).appUrl, drop: async () => undefined };
    server = await startTestServer({ ERASURE_INTERVAL_MS: '200' }, database);
    admin = await server.tenant('people');
  });
  afterAll(async () => {
    await server?.stop();
    await owner?.end();
    await postgres?.stop();
  });

  interface Person {
    readonly id: string;
    readonly client: Client;
    readonly browser: Browser;
  }

  async function person(userName: string): Promise<Person> {
    const { token, userId } = expectStatus(await admin.post('/v1/tokens', { userName }), 201).body;
    const { tenantId } = (await admin.get('/v1/me')).body;
    const browser = new Browser(admin);
    const code = await server.running.signIns.issueCode({ tenantId, userId }, 60_000);
    expectStatus(await browser.post('/v1/sign-in', { code }), 200);
    expect((await browser.post('/v1/sign-in', { code })).status).toBe(401);
    return { id: userId, client: admin.as(token), browser };
  }

  const statuses = async ({ client, browser }: Person): Promise<readonly number[]> => [
    (await client.get('/v1/me')).status,
    (await browser.get('/v1/me')).status,
  ];

  it('sign in by a link that counts once, and open streams by tickets that do', async () => {
    const ann = await person('ann');
    expect(await statuses(ann)).toEqual([200, 200]);
    const id = await ann.client.session();
    const { ticket } = expectStatus(await ann.client.post('/v1/stream-tickets', { sessionId: id }), 201).body;
    const opened = async (): Promise<number> => {
      const { status, body } = await fetch(`${server.running.url}/v1/sessions/${id}/events/stream?ticket=${ticket}`);
      await body?.cancel();
      return status;
    };
    expect([await opened(), await opened()]).toEqual([200, 401]);
  });

  it('lose a token with those that were made with it', async () => {
    const { token, id } = expectStatus(await admin.post('/v1/tokens', { role: 'admin', name: 'a' }), 201).body;
    const { token: made } = expectStatus(await admin.as(token).post('/v1/tokens', { role: 'member', name: 'b' }), 201).body;
    expect((await admin.as(made).get('/v1/me')).status).toBe(200);
    expectStatus(await admin.call('DELETE', `/v1/tokens/${id}`), 204);
    for (const each of [token, made]) await until('the token is refused', async () => (await admin.as(each).get('/v1/me')).status === 401);
  });

  it('lose all credentials when they are disabled, and their name and content when they are deleted', async () => {
    const ben = await person('ben');
    const id = await ben.client.session();
    await ben.client.ask(id, 'a secret of ben');
    for (const disabled of [true, false, true]) {
      const { disabledAt } = expectStatus(await admin.call('PATCH', `/v1/users/${ben.id}`, { disabled }), 200).body;
      expect(disabledAt !== null).toBe(disabled);
    }
    await until('both are refused', async () => (await statuses(ben)).every((status) => status === 401));
    expect((await admin.call('DELETE', `/v1/users/${ben.id}`)).status).toBeLessThan(300);
    expect((await admin.get(`/v1/users/${ben.id}`)).body).toMatchObject({ name: '', disabledAt: expect.any(String), deletedAt: expect.any(String) });
    await until(
      'the content is erased',
      async () => (await owner.query(`SELECT FROM event WHERE session_id = $1 AND data::text LIKE '%a secret of ben%'`, [id])).rows.length === 0,
      60,
    );
  });
});
