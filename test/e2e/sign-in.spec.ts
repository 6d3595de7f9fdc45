import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { Browser } from '../support/browser.js';
import type { Client } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let me: { readonly tenantId: string; readonly userId: string };

beforeAll(async () => {
  server = await startTestServer();
  admin = server.client;
  const { tenantId, userId } = (await admin.get('/v1/me')).body;
  me = { tenantId, userId };
});
afterAll(() => server.stop());

const code = async (whom = me, lifetimeMs = 60_000): Promise<string> => (await server.running.signIns.issueCode(whom, lifetimeMs))!;

async function signedIn(whom = me): Promise<Browser> {
  const browser = new Browser(admin);
  expect((await browser.post('/v1/sign-in', { code: await code(whom) })).status).toBe(200);
  return browser;
}

const sql = (text: string, values: readonly unknown[] = []) =>
  withConnection(server.database.ownerUrl, 60_000, async (client) => (await client.query(text, [...values])).rows);

/** Headers of requests that pages of other origins cause. */
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
];

describe('a one-time link', () => {
  it('signs a browser in with a cookie that no script and no other site can use', async () => {
    const browser = new Browser(admin);
    const answer = await browser.post('/v1/sign-in', { code: await code() });
    expect(answer.body).toMatchObject({ ...me, role: 'admin', userName: 'admin', signInId: expect.any(String) });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^verbatim=vbs_[\w-]{66}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/)]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await browser.get('/v1/me')).body).toEqual(answer.body);
  });

  it('is used up by the first of concurrent requests', async () => {
    const once = await code();
    const answers = await Promise.all(Array.from({ length: 8 }, () => new Browser(admin).post('/v1/sign-in', { code: once })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
    expect(answers.find(({ status }) => status === 401)!.body.code).toBe('sign_in_rejected');
  });

  it('is not accepted when it has expired, is unknown or malformed, and sets no cookie then', async () => {
    for (const wrong of [await code(me, -1), 'vbc_unknown', '\ud800\u0000', 'x']) {
      const { status, body, headers } = await new Browser(admin).post('/v1/sign-in', { code: wrong });
      expect([status, body.code, headers.getSetCookie()]).toEqual([401, 'sign_in_rejected', []]);
    }
    expect((await new Browser(admin).post('/v1/sign-in', {})).body.code).toBe('invalid_input');
  });

  it('is not issued for a user that does not exist', async () => {
    expect(await server.running.signIns.issueCode({ ...me, userId: randomUUID() }, 60_000)).toBeNull();
  });

  it('cannot be redeemed from a page of another origin', async () => {
    const wanted = await code();
    for (const site of FOREIGN) expect((await new Browser(admin).call('POST', '/v1/sign-in', { code: wanted }, site)).body.code).toBe('forbidden');
    expect((await new Browser(admin).call('POST', '/v1/sign-in', { code: wanted }, {})).status).toBe(200);
  });

  it('ends what the browser was signed in as before', async () => {
    const browser = await signedIn();
    const before = browser.headers['cookie']!;
    await browser.post('/v1/sign-in', { code: await code() });
    expect((await admin.as(null).get('/v1/me', { cookie: before })).status).toBe(401);
    expect((await browser.get('/v1/me')).status).toBe(200);
  });
});

describe('a signed-in browser', () => {
  it('can do what its user may: reads, writes and streams', async () => {
    const browser = await signedIn();
    const { body: session } = await browser.post('/v1/sessions', { title: 'mine' });
    const stream = await browser.stream(session.id);
    await browser.post(`/v1/sessions/${session.id}/prompts`, { input: 'hello' });
    await stream.until((event) => event.event === 'turn.completed');
    stream.close();
    expect((await admin.get(`/v1/sessions/${session.id}`)).body.userId).toBe(me.userId);
  });

  it('cannot be used by pages of other origins, for reading neither', async () => {
    const browser = await signedIn();
    for (const site of FOREIGN) {
      for (const method of ['GET', 'POST']) {
        const { status, body } = await browser.call(method, '/v1/sessions', method === 'GET' ? undefined : {}, site);
        expect([method, site, status, body.code]).toEqual([method, site, 403, 'forbidden']);
      }
      expect((await browser.call('POST', '/v1/sign-out', {}, site)).status).toBe(403);
    }
    const unnamed: Readonly<Record<string, string>> = {};
    expect((await browser.call('POST', '/v1/sessions', {}, unnamed)).status).toBe(403);
    expect((await browser.call('POST', '/v1/sessions', {}, { 'sec-fetch-site': 'none' })).status).toBe(403);
    expect((await browser.call('GET', '/v1/sessions', undefined, { 'sec-fetch-site': 'none' })).status).toBe(200);
    expect((await browser.call('POST', '/v1/sessions', {}, { origin: admin.baseUrl })).status).toBe(201);
  });

  it('is signed out by itself, and the cookie is worth nothing afterwards', async () => {
    const browser = await signedIn();
    const cookie = browser.headers['cookie']!;
    const answer = await browser.post('/v1/sign-out');
    expect([answer.status, browser.cookies.size]).toEqual([204, 0]);
    const { status, body } = await admin.as(null).get('/v1/me', { cookie });
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
    expect((await browser.post('/v1/sign-out')).status).toBe(204);
  });

  it('is listed and can be signed out from elsewhere', async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    const { signInId } = (await there.get('/v1/me')).body;
    const { data } = (await here.get('/v1/sign-ins')).body;
    expect(data.filter(({ current }: { readonly current: boolean }) => current)).toHaveLength(1);
    expect(data.find(({ id }: { readonly id: string }) => id === signInId)).toMatchObject({
      method: 'link',
      userAgent: 'a browser',
      userId: me.userId,
      current: false,
    });
    expect((await here.call('DELETE', `/v1/sign-ins/${signInId}`)).status).toBe(204);
    expect((await there.get('/v1/me')).status).toBe(401);
    expect((await here.call('DELETE', `/v1/sign-ins/${signInId}`)).body.code).toBe('not_found');
  });

  it('of another user is not shown to a member, and cannot be ended by one or by another tenant', async () => {
    const browser = await signedIn();
    const { signInId } = (await browser.get('/v1/me')).body;
    const { token } = (await admin.post('/v1/tokens', { userName: 'member' })).body;
    const outsider = await server.tenant('another tenant');
    for (const other of [admin.as(token), outsider]) {
      expect((await other.get(`/v1/sign-ins?userId=${me.userId}`)).body.data).toEqual([]);
      expect((await other.call('DELETE', `/v1/sign-ins/${signInId}`)).status).toBe(404);
    }
    expect((await browser.get('/v1/me')).status).toBe(200);
  });

  it('is signed out when its time is over, and when it was not used', async () => {
    for (const change of ['expires_at = now()', "last_used_at = now() - interval '49 hours'"]) {
      const browser = await signedIn();
      await sql(`UPDATE sign_in SET ${change} WHERE user_id = $1`, [me.userId]);
      expect((await browser.get('/v1/me')).body.code).toBe('unauthenticated');
    }
  });

  it('is noted as used, not at every request', async () => {
    const browser = await signedIn();
    const cookie = browser.headers['cookie']!;
    await sql("UPDATE sign_in SET last_used_at = now() - interval '1 hour'");
    const age = async () => (await sql('SELECT extract(epoch FROM now() - max(last_used_at))::float8 AS age, max(last_used_at)::text AS at FROM sign_in'))[0];
    expect((await admin.as(null).get('/v1/me', { cookie })).status).toBe(200);
    const first = await age();
    expect(first.age).toBeLessThan(60);
    await browser.get('/v1/me');
    expect((await age()).at).toBe(first.at);
  });

  it('is stored as a hash only', async () => {
    const browser = await signedIn();
    const [secret] = browser.cookies.values();
    const rows = JSON.stringify(await sql('SELECT s::text FROM sign_in s'));
    expect(rows).not.toContain(secret!.slice(4));
    expect((await sql("SELECT 1 FROM sign_in WHERE secret_hash = sha256(convert_to($1, 'UTF8'))", [secret])).length).toBe(1);
  });

  it('makes tokens that outlast it', async () => {
    const browser = await signedIn();
    const made = (await browser.post('/v1/tokens', { name: 'laptop', role: 'admin' })).body;
    expect(made).toMatchObject({ expiresAt: null, parentId: null });
    await browser.post('/v1/sign-out');
    expect((await admin.as(made.token).get('/v1/me')).body).toMatchObject({ userId: me.userId, role: 'admin' });
  });

  it('counts only without a token', async () => {
    const browser = await signedIn();
    expect((await browser.call('GET', '/v1/me', undefined, { authorization: 'Bearer vb_unknown' })).status).toBe(401);
    expect((await browser.call('GET', '/v1/me', undefined, { authorization: `Bearer ${admin.token}`, 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });
});

describe('a browser that signed in with a token', () => {
  const withToken = async (token: string) => {
    const browser = new Browser(admin);
    return { browser, answer: await browser.post('/v1/sign-in', { token }) };
  };

  it('has it in a cookie that no script and no other site can use, until it is closed', async () => {
    const { browser, answer } = await withToken(admin.token!);
    expect(answer.body).toMatchObject({ ...me, role: 'admin' });
    expect(answer.body).not.toHaveProperty('signInId');
    expect(answer.headers.getSetCookie()).toEqual([`verbatim=${admin.token}; Path=/; HttpOnly; SameSite=Strict`]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await browser.get('/v1/me')).body).toEqual(answer.body);
    for (const site of FOREIGN) expect((await browser.call('GET', '/v1/me', undefined, site)).status).toBe(403);
    expect((await browser.post('/v1/sign-out')).status).toBe(204);
    expect(browser.cookies.size).toBe(0);
    expect((await admin.get('/v1/me')).status).toBe(200); // the token itself stays
  });

  it('may do what the token may, and is signed out when it ends', async () => {
    const made = (await admin.post('/v1/tokens', { name: 'to read', scopes: ['sessions:read'] })).body;
    const { browser } = await withToken(made.token);
    expect((await browser.get('/v1/sessions')).status).toBe(200);
    expect((await browser.post('/v1/sessions')).body.code).toBe('forbidden');
    await admin.call('DELETE', `/v1/tokens/${made.id}`);
    expect((await browser.get('/v1/sessions')).body.code).toBe('unauthenticated');
  });

  it('ends what it was signed in as before', async () => {
    const browser = await signedIn();
    const before = browser.headers['cookie']!;
    await browser.post('/v1/sign-in', { token: admin.token });
    expect((await admin.as(null).get('/v1/me', { cookie: before })).status).toBe(401);
  });

  it('is not signed in with anything else: the secret of a cookie or of a link, an unknown or malformed token', async () => {
    const browser = await signedIn();
    const { body: session } = await admin.post('/v1/sessions', {});
    const { secret } = (await admin.post(`/v1/sessions/${session.id}/links`, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() })).body;
    for (const token of [[...browser.cookies.values()][0]!, secret, 'vb_unknown', 'x; Path=/', 'x\r\nset-cookie: a=b', 'a'.repeat(5_000)]) {
      const { answer } = await withToken(token);
      expect([answer.status, answer.body.code, answer.headers.getSetCookie()]).toEqual([401, 'sign_in_rejected', []]);
    }
    for (const body of [{}, { token: admin.token, code: await code() }])
      expect((await new Browser(admin).post('/v1/sign-in', body)).body.code).toBe('invalid_input');
    for (const site of FOREIGN) expect((await new Browser(admin).call('POST', '/v1/sign-in', { token: admin.token }, site)).body.code).toBe('forbidden');
  });
});

describe('guessing codes', () => {
  it('is slowed by address, and does not hold up those who are signed in', async () => {
    const browser = await signedIn();
    const slow = await startTestServer({ AUTH_FAILURES_PER_MINUTE: '3' }, server.database, admin.token);
    const guess = async (): Promise<string> => (await new Browser(slow.client).post('/v1/sign-in', { code: `vbc_${randomUUID()}` })).body.code;
    expect([await guess(), await guess(), await guess(), await guess()]).toEqual(['sign_in_rejected', 'sign_in_rejected', 'sign_in_rejected', 'rate_limited']);
    expect((await slow.client.as(null).get('/v1/me', browser.headers)).status).toBe(200);
    await slow.stop();
  });
});

describe('over https', () => {
  it('the cookie is Secure and belongs to this host only', async () => {
    const secure = await startTestServer({ PUBLIC_URL: 'https://chat.example.com' }, server.database, admin.token);
    const browser = new Browser(secure.client);
    const answer = await browser.call('POST', '/v1/sign-in', { code: await code() }, { origin: 'https://chat.example.com' });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-verbatim=vbs_.*; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/),
    ]);
    expect((await browser.call('POST', '/v1/sessions', {}, { origin: 'https://chat.example.com' })).status).toBe(201);
    expect((await browser.call('POST', '/v1/sessions', {}, { origin: secure.client.baseUrl })).status).toBe(403);
    browser.cookies.set('verbatim', browser.cookies.get('__Host-verbatim')!).delete('__Host-verbatim');
    browser.cookies.delete('__Host-verbatim');
    expect((await browser.get('/v1/me')).status).toBe(401);
    await secure.stop();
  });
});
