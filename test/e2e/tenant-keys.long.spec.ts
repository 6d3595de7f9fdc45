import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from '../../src/platform/postgres/connect.js';
import { deriveId } from '../../packages/protocol/message/ids.js';
import { Client, expectStatus } from '../support/client.js';
import { eraseTenant } from '../../src/features/erasure/tenant-erasure.js';
import { openDatabase } from '../support/postgres-store.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { dump, formsOf } from '../support/dump.js';
import { keysOf, textOf } from '../support/encryption.js';
import { ServerProcess } from '../support/process.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

const KEY = 'sk-of-the-tenant-0123456789';
const OTHER = 'sk-of-the-deployment';

/** Both headers, since the client of the model API and callers use either. */
const sentKey = (headers: IncomingHttpHeaders): string => [headers['x-api-key'], headers.authorization?.replace('Bearer ', '')].filter(Boolean).join(' and ');

describe('the key of a tenant for the model API', () => {
  it('is gone with the tenant', async () => {
    const client = await connect(database.ownerUrl, 60_000);
    const token = await makeTenant(database.ownerUrl, 'that ends');
    const { tenantId } = (await server.client(token).get('/v1/me')).body;
    expectStatus(await server.client(token).call('PATCH', '/v1/settings', { upstreamKey: KEY }), 200);
    const stored = async (): Promise<unknown> =>
      (await client.query(`SELECT value::text FROM tenant_setting WHERE name = 'upstreamKey' AND tenant_id = $1`, [tenantId])).rows;
    expect(await stored()).toEqual([{ value: expect.stringMatching(/^"[\w+/=]{50,}"$/) }]);
    const operator = openDatabase(database.ownerUrl);
    await eraseTenant(operator, tenantId, null);
    await operator.close();
    expect(await stored()).toEqual([{ value: 'null' }]);
    await client.end();
  });

  let api: StandIn;
  let database: TestDatabase;
  let server: ServerProcess;
  let [owner, other]: Client[] = [];
  const environment = (): Record<string, string> => ({
    ...{ DATABASE_URL: database.ownerUrl, LOG_LEVEL: 'trace', ENCRYPTION_KEYS: textOf(keysOf('one')) },
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: OTHER, TITLES: 'first-turn' },
  });

  beforeAll(async () => {
    [api, database] = await Promise.all([startStandIn(), freshDatabase()]);
    server = await ServerProcess.start({ ...environment(), ENCRYPTION: 'on' });
    [owner, other] = [server.client(await makeTenant(database.ownerUrl, 'with a key')), server.client(await makeTenant(database.ownerUrl, 'without'))];
  });
  afterAll(async () => {
    await server?.stop();
    await database?.drop();
    await api?.close();
  });

  const pass = (client: Client, text: string, on = server): Promise<Response> =>
    fetch(`${on.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': client.token! },
      body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, messages: [{ role: 'user', content: `{{say one}} ${text}` }] }),
    });
  /** The key that a request with this text went out with. */
  const keyOf = (text: string): unknown => {
    const { headers } = api.received.findLast(({ body }) => body.includes(text))!;
    return sentKey(headers);
  };
  const asked = async (client: Client, text: string): Promise<unknown> => {
    const id = await client.session();
    await client.ask(id, text);
    return keyOf(text);
  };

  it('is what its turns, titles and requests at the Anthropic door go out with, and no other tenant', async () => {
    expect(await asked(owner!, 'before')).toBe(OTHER);
    const { body } = expectStatus(await owner!.call('PATCH', '/v1/settings', { upstreamKey: KEY }), 200);
    expect(JSON.stringify(body)).not.toContain(KEY);
    expect(body.upstreamKey).toBe('•••');
    await until('every process knows it', async () => (await asked(owner!, `now ${api.received.length}`)) === KEY);
    const from = api.received.length;
    expect((await pass(owner!, 'at the door')).status).toBe(200);
    expect(keyOf('at the door')).toBe(KEY);
    await asked(owner!, 'its title');
    await until('a title is asked for', async () => api.received.slice(from).filter(({ body: sent }) => sent.includes('its title')).length > 1);
    expect(new Set(api.received.slice(from).map(({ headers }) => sentKey(headers)))).toEqual(new Set([KEY]));
    expect(await asked(other!, 'another tenant')).toBe(OTHER);
    expect((await pass(other!, 'the other at the door')).status).toBe(200);
    expect(keyOf('the other at the door')).toBe(OTHER);
  });

  it('is stored encrypted only, is in no answer and no line of the log, and stays when the settings are written back', async () => {
    const { body } = await owner!.get('/v1/settings');
    const { hookSecret: _, version, ...settings } = body;
    expectStatus(await owner!.call('PATCH', '/v1/settings', settings, { 'if-match': `"${version}"` }), 200);
    expect(await asked(owner!, 'written back')).toBe(KEY);
    const client = await connect(database.ownerUrl, 60_000);
    const rows = await dump(client);
    const found = formsOf(KEY).filter((form) => rows.some((row) => row.includes(form)) || server.printed().includes(form));
    await client.end();
    expect(found).toEqual([]);
  });

  it('is never replaced by that of the deployment when it cannot be decrypted', async () => {
    const client = await connect(database.ownerUrl, 60_000);
    const { tenantId } = (await owner!.get('/v1/me')).body;
    const id = deriveId(tenantId, 'settings');
    const { rows } = await client.query<{ wrapped: Buffer }>('SELECT wrapped FROM data_key WHERE id = $1', [id]);
    await client.query('DELETE FROM data_key WHERE id = $1', [id]);
    const second = await ServerProcess.start({ ...environment(), ENCRYPTION: 'on' });
    try {
      const before = api.received.length;
      const response = await pass(owner!, 'without its data key', second);
      expect([response.status, JSON.stringify(await response.json())]).toEqual([503, expect.stringContaining('Set it again')]);
      expect(api.received.length).toBe(before);
    } finally {
      await second.stop();
      expect(rows).toHaveLength(1);
      await client.end();
    }
    // Set again, it has a data key again, also in the process that knew the one before.
    expectStatus(await owner!.call('PATCH', '/v1/settings', { upstreamKey: `${KEY}-2` }), 200);
    await until('it is in force', async () => (await asked(owner!, `again ${api.received.length}`)) === `${KEY}-2`);
  });

  it('is removed by null, and refused where nothing is encrypted', async () => {
    expectStatus(await owner!.call('PATCH', '/v1/settings', { upstreamKey: null }), 200);
    await until('it is gone', async () => (await asked(owner!, `gone ${api.received.length}`)) === OTHER);
    for (const upstreamKey of ['', 'two words', 'a\r\nb', 'sk-•••', 5]) expectStatus(await owner!.call('PATCH', '/v1/settings', { upstreamKey }), 400);
    const { body: none } = expectStatus(await owner!.call('PATCH', '/v1/settings', { upstreamKey: '•••' }), 400);
    expect(none.errors).toEqual([{ pointer: '/upstreamKey', detail: expect.stringContaining('no value is stored') }]);
    const plain = await ServerProcess.start({ ...environment(), ENCRYPTION: 'off' });
    try {
      const { body } = expectStatus(await new Client(plain.url, owner!.token!).call('PATCH', '/v1/settings', { upstreamKey: KEY }), 400);
      expect(body.errors).toEqual([{ pointer: '/upstreamKey', detail: expect.stringContaining('ENCRYPTION=on') }]);
    } finally {
      await plain.stop();
    }
  });
});
