import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import { Browser } from '../support/browser.js';
import { Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const SECRET = 'a secret of at least 32 characters';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ AUTH_JWT_SECRET: SECRET, ERASURE_INTERVAL_MS: '200', STREAM_RECHECK_MS: '600000' });
});
afterAll(() => server.stop());

/** Its own tenant: its admin, and one more user. */
async function tenant(): Promise<{ readonly name: string; readonly admin: Client; readonly ben: Client; readonly benId: string; readonly adminId: string }> {
  const name = randomUUID();
  const admin = await server.tenant(name);
  const { token, userId: benId } = expectStatus(await admin.post('/v1/tokens', { userName: 'ben' }), 201).body;
  return { name, admin, ben: admin.as(token), benId, adminId: (await admin.get('/v1/me')).body.userId };
}

const change = (admin: Client, userId: string, body: object) => admin.call('PATCH', `/v1/users/${userId}`, body);

const signed = (claims: object) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime('10m').sign(new TextEncoder().encode(SECRET));

async function signedIn(admin: Client, userId: string): Promise<Browser> {
  const { tenantId } = (await admin.get('/v1/me')).body;
  const browser = new Browser(admin);
  const code = await server.running.signIns.issueCode({ tenantId, userId }, 60_000);
  expect((await browser.post('/v1/sign-in', { code })).status).toBe(200);
  return browser;
}

describe('users', () => {
  it('are listed and shown to admins only, of their tenant only', async () => {
    const { admin, ben, benId, adminId } = await tenant();
    expect((await admin.get('/v1/users')).body.data.map(({ name, role }: UnknownObject) => [name, role]).sort()).toEqual([
      ['admin', 'admin'],
      ['ben', 'member'],
    ]);
    expect((await admin.get(`/v1/users/${benId}`)).body).toMatchObject({
      id: benId,
      name: 'ben',
      role: 'member',
      disabledAt: null,
      deletedAt: null,
      sessions: 0,
    });
    expect((await change(admin, benId, { role: 'auditor' })).body).toMatchObject({ role: 'auditor' });
    for (const [method, path] of [
      ['GET', `/v1/users/${adminId}`],
      ['PATCH', `/v1/users/${adminId}`],
      ['DELETE', `/v1/users/${adminId}`],
    ] as const) {
      const body = method === 'PATCH' ? { disabled: true } : undefined;
      expect((await ben.call(method, path, body)).body.code).toBe('forbidden');
      const unknown = await admin.call(method, `/v1/users/${randomUUID()}`, body);
      const foreign = await server.client.call(method, path, body);
      expect([unknown.body.code, foreign.body.code, foreign.body.detail]).toEqual(['not_found', 'not_found', unknown.body.detail]);
    }
  });

  it('who get another role have it with all credentials at once', async () => {
    const { admin, benId } = await tenant();
    await change(admin, benId, { role: 'admin' });
    const ben = admin.as(expectStatus(await admin.post('/v1/tokens', { userName: 'ben', role: 'admin' }), 201).body.token);
    const browser = await signedIn(admin, benId);
    expect([(await ben.get('/v1/me')).body.role, (await browser.get('/v1/me')).body.role]).toEqual(['admin', 'admin']);
    await change(admin, benId, { role: 'member' });
    expect([(await ben.get('/v1/me')).body.role, (await browser.get('/v1/me')).body.role]).toEqual(['member', 'member']);
    expect((await ben.get('/v1/users')).status).toBe(403);
  });

  it('who are disabled lose every token, browser, link, ticket and signed identity at once, and get none back', async () => {
    const { name, admin, ben, benId } = await tenant();
    const { tenantId } = (await admin.get('/v1/me')).body;
    const child = expectStatus(await ben.post('/v1/tokens', {}), 201).body;
    const browser = await signedIn(admin, benId);
    const code = await server.running.signIns.issueCode({ tenantId, userId: benId }, 60_000);
    const session = await ben.session();
    const { ticket } = expectStatus(await ben.post('/v1/stream-tickets', { sessionId: session }), 201).body;
    const jwt = admin.as(await signed({ sub: 'ben', tenant: name }));
    expect((await jwt.get('/v1/me')).body.userId).toBe(benId);

    expect((await change(admin, benId, { disabled: true })).body.disabledAt).not.toBeNull();
    const rejected = async () => {
      const answers = [await ben.get('/v1/me'), await ben.as(child.token).get('/v1/me'), await browser.get('/v1/me')];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [401, 'unauthenticated']));
      expect((await new Browser(admin).post('/v1/sign-in', { code })).body.code).toBe('sign_in_rejected');
      expect((await admin.as(null).get(`/v1/sessions/${session}/events/stream?ticket=${ticket}`)).status).toBe(401);
    };
    await rejected();
    expect((await jwt.get('/v1/me')).body.code).toBe('unauthenticated');
    expect(await server.running.signIns.issueCode({ tenantId, userId: benId }, 60_000)).toBeNull();
    expect((await admin.post('/v1/tokens', { userName: 'ben' })).body).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/userName' }] });
    expect((await admin.get('/v1/tokens')).body.data.filter(({ userId }: UnknownObject) => userId === benId)).toEqual([]);

    expect((await change(admin, benId, { disabled: false })).body.disabledAt).toBeNull();
    await rejected();
    expect((await jwt.get('/v1/me')).status).toBe(200);
    expect((await admin.as((await admin.post('/v1/tokens', { userName: 'ben' })).body.token).get(`/v1/sessions/${session}`)).status).toBe(200);
  });

  it('who are disabled lose their open streams, in every process', async () => {
    const other = await startTestServer({ AUTH_JWT_SECRET: SECRET, STREAM_RECHECK_MS: '600000' }, server.database, server.client.token);
    const { name, admin, ben, benId } = await tenant();
    const browser = await signedIn(admin, benId);
    const session = await ben.session();
    const jwt = await signed({ sub: 'ben', tenant: name });
    const { ticket } = expectStatus(await ben.post('/v1/stream-tickets', { sessionId: session }), 201).body;
    const elsewhere = (token: string): Client => new Client(other.client.baseUrl, token);
    const streams = [
      await ben.stream(session),
      await elsewhere(ben.token!).stream(session),
      await elsewhere(jwt).streamAll(),
      await browser.stream(session),
      await elsewhere('').as(null).stream(session, {}, `?ticket=${ticket}`),
    ];
    const kept = await admin.streamAll();
    for (const stream of streams) await stream.until(({ event }) => event.endsWith('synced'));
    await change(admin, benId, { disabled: true });
    for (const stream of streams) await stream.ended;
    expect((await kept.until(({ event }) => event.endsWith('synced'))).event).toBe('sessions.synced');
    kept.close();
    await other.stop();
  });

  it('who are admins do not take their own rights away, and two of them not those of each other', async () => {
    const { admin, benId, adminId } = await tenant();
    for (const attempt of [
      () => change(admin, adminId, { disabled: true }),
      () => change(admin, adminId, { role: 'auditor' }),
      () => admin.call('DELETE', `/v1/users/${adminId}`),
    ]) {
      expect((await attempt()).body).toMatchObject({ status: 409, code: 'own_user' });
    }
    expect((await change(admin, adminId, { role: 'admin', disabled: false })).status).toBe(200);
    await change(admin, benId, { role: 'admin' });
    const ben = admin.as((await admin.post('/v1/tokens', { userName: 'ben', role: 'admin' })).body.token);
    const answers = await Promise.all([change(admin, benId, { disabled: true }), change(ben, adminId, { disabled: true })]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('who are deleted lose their name and content, and keep their id', async () => {
    const { admin, ben, benId } = await tenant();
    const session = await ben.session({ title: 'secret title' });
    await ben.ask(session, 'secret prompt');
    const first = expectStatus(await admin.call('DELETE', `/v1/users/${benId}?reason=left`), 202).body;
    expect(first).toMatchObject({ userId: benId, reason: 'left' });
    expect((await ben.get('/v1/me')).status).toBe(401);
    expect((await admin.get(`/v1/users/${benId}`)).body).toMatchObject({
      name: '',
      role: 'member',
      deletedAt: expect.any(String),
      disabledAt: expect.any(String),
    });
    expect((await admin.call('DELETE', `/v1/users/${benId}`)).status).toBe(202);
    await until('the content is erased', async () =>
      (await admin.get(`/v1/users/${benId}/erasures`)).body.data.every(({ endedAt }: UnknownObject) => endedAt !== null),
    );
    await change(admin, benId, { disabled: false });
    const again = admin.as(expectStatus(await admin.post('/v1/tokens', { userName: 'ben' }), 201).body.token);
    expect((await again.get('/v1/me')).body).toMatchObject({ userId: benId, userName: 'ben' });
    expect(JSON.stringify((await again.get(`/v1/sessions/${session}`)).body)).not.toContain('secret');
  });
});

describe('tokens', () => {
  it('with scopes allow what the scopes name and the role allows, nothing else', async () => {
    const { admin, ben } = await tenant();
    const session = await ben.session();
    const reading = ben.as(expectStatus(await ben.post('/v1/tokens', { scopes: ['sessions:read'] }), 201).body.token);
    expect((await reading.get('/v1/me')).body.scopes).toEqual(['sessions:read']);
    expect((await reading.get(`/v1/sessions/${session}`)).status).toBe(200);
    for (const [path, body] of [
      [`/v1/sessions/${session}/prompts`, { input: 'x' }],
      ['/v1/sessions', {}],
      ['/v1/tokens', {}],
    ] as const) {
      expect((await reading.post(path, body)).body.code).toBe('forbidden');
    }
    const people = ben.as(expectStatus(await ben.post('/v1/tokens', { scopes: ['people:write', 'settings:write'] }), 201).body.token);
    for (const path of ['/v1/users', '/v1/settings']) expect((await people.get(path)).body.code).toBe('forbidden');
    expect((await admin.get('/v1/tokens')).body.data).toContainEqual(expect.objectContaining({ scopes: ['sessions:read'], role: 'member' }));
  });

  it('cannot create tokens with more scopes or roles than their own', async () => {
    const { admin } = await tenant();
    const limited = admin.as(expectStatus(await admin.post('/v1/tokens', { role: 'admin', scopes: ['people:write', 'usage:read'] }), 201).body.token);
    expect((await limited.post('/v1/tokens', {})).body.scopes).toEqual(['people:write', 'usage:read']);
    expect((await limited.post('/v1/tokens', { scopes: null })).body.scopes).toEqual(['people:write', 'usage:read']);
    expect((await limited.post('/v1/tokens', { scopes: ['usage:read'] })).body.scopes).toEqual(['usage:read']);
    expect((await limited.post('/v1/tokens', { scopes: ['usage:read', 'sessions:read'] })).body.code).toBe('forbidden');
    expect((await limited.post('/v1/tokens', { userName: 'ben', scopes: ['sessions:read'] })).body.code).toBe('forbidden');
    for (const scopes of [[], ['everything'], 'sessions:read', [null]]) expect((await admin.post('/v1/tokens', { scopes })).body.code).toBe('invalid_input');
    expect((await admin.post('/v1/tokens', { userName: 'ben', role: 'admin' })).body).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/role' }] });
  });

  it('are limited in stream tickets as they are themselves', async () => {
    const { ben } = await tenant();
    const session = await ben.session();
    const limited = expectStatus(await ben.post('/v1/tokens', { scopes: ['sessions:read'] }), 201).body;
    const { ticket } = expectStatus(await ben.as(limited.token).post('/v1/stream-tickets', { sessionId: session }), 201).body;
    expect((await ben.call('DELETE', `/v1/tokens/${limited.id}`)).status).toBe(204);
    expect((await ben.as(null).get(`/v1/sessions/${session}/events/stream?ticket=${ticket}`)).status).toBe(401);
  });
});
