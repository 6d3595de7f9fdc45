import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { until } from '../support/until.js';
import { Edge } from './support/edge.js';

const SECRET = 'a secret of at least 32 characters';
const soon = () => Math.floor(Date.now() / 1000) + 600;

const asWho = (edge: Edge, authorization: string | null, path = '/v1/me') => edge.client.as(null).get(path, authorization === null ? {} : { authorization });

/** Status of /metrics for a Host header, which fetch does not let a caller set. */
const statusForHost = (port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/metrics', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', reject);
  });

describe('the metrics with OPERATOR_TOKEN', () => {
  it('require that token, from this machine too', async () => {
    const token = 'an operator token of 32 characters';
    const edge = await Edge.start({ OPERATOR_TOKEN: token });
    const metrics = (authorization: string | null) => asWho(edge, authorization, '/metrics');
    for (const wrong of [null, 'Bearer vb_admin', `Bearer ${token}!`]) expect((await metrics(wrong)).status).toBe(401);
    expect((await metrics(`Bearer ${token}`)).status).toBe(200);
    await edge.stop();
  });

  it('are not read without it where commands of sessions run on this machine', async () => {
    const edge = await Edge.start({ TOOLS: 'Bash' });
    expect((await asWho(edge, null, '/metrics')).body).toMatchObject({
      status: 401,
      code: 'unauthenticated',
      detail: expect.stringContaining('OPERATOR_TOKEN'),
    });
    await edge.stop();
  });
});

describe('opaque tokens', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await Edge.start();
  });
  afterAll(() => edge.stop());

  it('open the door', async () => {
    expect((await asWho(edge, 'Bearer vb_admin')).body.role).toBe('admin');
    expect((await asWho(edge, 'bearer   vb_member')).body.role).toBe('member');
  });

  const wrong = [
    '',
    'vb_admin',
    'Bearer',
    'Bearer ',
    'Bearer vb_admin extra',
    'Basic dmJfYWRtaW46',
    'Bearer vb_nobody',
    'Bearer a.b.c',
    `Bearer ${'x'.repeat(8_000)}`,
    'Bearer <script>',
  ];
  it.each(wrong)('that are invalid are rejected: case %#', async (authorization) => {
    const { status, headers, body } = await asWho(edge, authorization);
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"');
  });

  it('are asked for when there is none', async () => {
    const { status, headers, body } = await asWho(edge, null);
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'unauthenticated', 'Bearer realm="api"']);
  });

  it('are made, used and revoked', async () => {
    const made = await edge.client.post('/v1/tokens', { name: 'laptop' });
    expect([made.status, made.headers.get('location'), made.headers.get('cache-control')]).toEqual([201, `/v1/tokens/${made.body.id}`, 'no-store']);
    expect(made.body).toMatchObject({ name: 'laptop', role: 'member', expiresAt: null });
    expect((await edge.client.as(made.body.token).get('/v1/me')).body.tokenId).toBe(made.body.id);
    expect((await edge.client.call('DELETE', `/v1/tokens/${made.body.id}`)).status).toBe(204);
    expect((await edge.client.as(made.body.token).get('/v1/me')).status).toBe(401);
    expect((await edge.client.call('DELETE', `/v1/tokens/${made.body.id}`)).body).toMatchObject({ status: 404, code: 'not_found' });
    expect((await edge.client.call('DELETE', '/v1/tokens/none')).status).toBe(404);
  });

  it('of a member make tokens for that member only', async () => {
    const member = edge.client.as('vb_member');
    expect((await member.post('/v1/tokens', {})).status).toBe(201);
    expect((await member.post('/v1/tokens', { role: 'admin' })).body).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await member.post('/v1/tokens', { userName: 'somebody' })).body).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('are not needed for probes, documents and, on this machine, figures', async () => {
    for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs', '/metrics']) {
      expect([path, (await edge.client.as(null).get(path)).status]).toEqual([path, 200]);
    }
    const figures = await edge.client.as(null).get('/metrics');
    expect(figures.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(figures.body).toContain('verbatim_http_requests_total{method="GET",route="/health/live",status="200"}');
  });

  it('do not open the metrics to a request that a proxy passed on, or that names another host', async () => {
    const forwarded: readonly Record<string, string>[] = [{ 'x-forwarded-for': '203.0.113.9' }, { 'x-real-ip': '203.0.113.9' }, { via: '1.1 proxy' }];
    for (const headers of forwarded) {
      const { status, body } = await edge.client.get('/metrics', headers);
      expect([status, body.code]).toEqual([401, 'unauthenticated']);
    }
    expect(await statusForHost(edge.port, 'metrics.example.com')).toBe(401);
    expect(await statusForHost(edge.port, `localhost:${edge.port}`)).toBe(200);
  });

  it('produce one log line per request, except for probes', async () => {
    const lines = (): readonly { readonly msg?: string }[] =>
      edge.log.requests.map(([line]) => line as { readonly msg?: string }).filter(({ msg }) => msg === 'request');
    const before = lines().length;
    await edge.client.get('/health/live');
    await edge.client.get('/v1/sessions/none');
    await until('the request is logged', async () => lines().length > before);
    expect(lines().slice(before)).toEqual([
      expect.objectContaining({ method: 'GET', route: '/v1/sessions/:id', status: 404, complete: true, seconds: expect.any(Number) }),
    ]);
  });

  it('come with headers that keep browsers careful', async () => {
    const { headers } = await asWho(edge, 'Bearer vb_admin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
  });
});

describe('readiness', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await Edge.start();
  });
  afterAll(() => edge.stop());

  it('names what is away', async () => {
    expect((await edge.client.get('/health/ready')).body).toEqual({
      status: 'ok',
      checks: { database: 'up', queue: 'up', live: 'up', files: 'up', appends: 'up' },
    });
    edge.bus.away = true;
    const one = await edge.client.get('/health/ready');
    expect(one.body).toMatchObject({ status: 503, code: 'unavailable', database: 'up', queue: 'up', live: 'down' });
    expect(one.headers.get('retry-after')).toBe('1');
    edge.accounts.away = true;
    expect((await edge.client.get('/health/ready')).body.detail).toContain('database, live');
    expect((await edge.client.get('/health/live')).status).toBe(200);
  });
});

describe('tokens signed with a shared secret', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await Edge.start({ AUTH_JWT_SECRET: SECRET, AUTH_JWT_ISSUER: 'us', AUTH_JWT_AUDIENCE: 'them' });
  });
  afterAll(() => edge.stop());

  const now = () => Math.floor(Date.now() / 1000);
  const claims: JWTPayload = { sub: 'ann', tenant: 'acme', role: 'admin', iss: 'us', aud: 'them', iat: now(), exp: soon() };
  const sign = (payload: JWTPayload, alg = 'HS256', secret = SECRET) => new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
  const without = (name: string): JWTPayload => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

  it('are taken for whom they name', async () => {
    expect((await asWho(edge, `Bearer ${await sign(claims)}`)).body).toMatchObject({ role: 'admin' });
    expect(edge.accounts.vouchedFor.at(-1)).toEqual(['acme', 'ann', 'admin']);
    expect((await asWho(edge, `Bearer ${await sign(without('role'))}`)).body).toMatchObject({ role: 'member' });
  });

  const wrong: readonly (readonly [string, () => Promise<string>])[] = [
    ['expired', () => sign({ ...claims, exp: Math.floor(Date.now() / 1000) - 60 })],
    ['not valid yet', () => sign({ ...claims, nbf: soon() })],
    ['of another issuer', () => sign({ ...claims, iss: 'others' })],
    ['for another audience', () => sign({ ...claims, aud: 'others' })],
    ['without an expiry', () => sign(without('exp'))],
    ['without a time of issue', () => sign(without('iat'))],
    ['issued longer ago than the maximum age', () => sign({ ...claims, iat: now() - 90_000 })],
    ['without a subject', () => sign(without('sub'))],
    ['without a tenant', () => sign(without('tenant'))],
    ['with a subject that is no text', () => sign({ ...claims, sub: 7 as never })],
    ['with an empty tenant', () => sign({ ...claims, tenant: '' })],
    ['with an unknown role', () => sign({ ...claims, role: 'root' })],
    ['issued in the future', () => sign({ ...claims, iat: now() + 3_600 })],
    ['with a subject of invisible characters', () => sign({ ...claims, sub: '\u200b\u2060' })],
    ['of another type', () => new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'logout+jwt' }).sign(new TextEncoder().encode(SECRET))],
    ['signed with another secret', () => sign(claims, 'HS256', `${SECRET}!`)],
    ['signed with another algorithm', () => sign(claims, 'HS512')],
    ['not signed', async () => new UnsecuredJWT(claims).setIssuer('us').setAudience('them').encode()],
    ['not signed, with a dot', async () => `${new UnsecuredJWT(claims).encode()}x`],
    [
      'tampered with',
      async () =>
        (await sign(claims)).replace(
          /^[^.]+\.[^.]+/,
          (head) => `${head.split('.')[0]}.${Buffer.from(JSON.stringify({ ...claims, sub: 'eve' })).toString('base64url')}`,
        ),
    ],
  ];
  it.each(wrong)('%s are rejected', async (_, token) => {
    const before = edge.accounts.vouchedFor.length;
    expect((await asWho(edge, `Bearer ${await token()}`)).body).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(edge.accounts.vouchedFor).toHaveLength(before);
  });

  it('log why they are rejected, without the token', async () => {
    const token = await sign(without('tenant'));
    await asWho(edge, `Bearer ${token}`);
    const logged = JSON.stringify(edge.log.warnings.at(-1));
    expect(logged).toContain('the claim tenant is not a text');
    expect(logged).not.toContain(token);
  });

  it('create tokens that expire with them', async () => {
    const { exp } = claims;
    const principal = await asWho(edge, `Bearer ${await sign(claims)}`);
    expect(principal.body.expiresAt).toBe(new Date(exp! * 1000).toISOString());
  });

  it('name user, tenant and role by the configured claims', async () => {
    const named = await Edge.start({
      AUTH_JWT_SECRET: SECRET,
      AUTH_JWT_USER_CLAIM: 'email',
      AUTH_JWT_TENANT_CLAIM: 'org_id',
      AUTH_JWT_ROLE_CLAIM: 'https://example.com/role',
    });
    const token = await sign({ ...claims, email: 'ann@example.com', email_verified: true, org_id: 'o1', 'https://example.com/role': 'member' });
    expect((await asWho(named, `Bearer ${token}`)).status).toBe(200);
    expect(named.accounts.vouchedFor.at(-1)).toEqual(['o1', 'ann@example.com', 'member']);
    await named.stop();
  });

  it('name groups, and roles by the values and paths that the settings list', async () => {
    const mapped = await Edge.start({
      AUTH_JWT_SECRET: SECRET,
      AUTH_JWT_ROLE_CLAIM: 'realm_access.roles',
      AUTH_JWT_ADMIN_ROLES: 'chat-admin, owner',
      AUTH_JWT_AUDITOR_ROLES: 'compliance',
      AUTH_JWT_MEMBER_ROLES: 'chat',
      AUTH_JWT_GROUPS_CLAIM: 'https://example.com/groups',
      AUTH_JWT_MAX_GROUPS: '2',
    });
    const as = async (more: object) => (await asWho(mapped, `Bearer ${await sign({ ...claims, role: 'root', ...more })}`)).body;
    const role = async (...roles: string[]) => (await as({ realm_access: { roles } })).role;
    expect([await role('offline', 'chat'), await role('chat', 'compliance'), await role('owner', 'compliance')]).toEqual(['member', 'auditor', 'admin']);
    expect((await as({})).role).toBe('member');
    expect((await as({ 'realm_access.roles': 'owner', realm_access: { roles: ['chat'] } })).role).toBe('admin');
    const groups = async (value: unknown) => (await as({ 'https://example.com/groups': value })).groups;
    expect([await groups(['a', 'b', 'a']), await groups('one'), await groups([]), await groups(null)]).toEqual([['a', 'b'], ['one'], [], []]);
    for (const odd of [
      { realm_access: { roles: ['admin'] } },
      { realm_access: { roles: [] } },
      { realm_access: { roles: {} } },
      { realm_access: { roles: [1, 'chat'] } },
    ]) {
      expect((await as(odd)).code).toBe('unauthenticated');
    }
    for (const odd of [['a', 'b', 'c'], [''], [7], { a: 1 }, 'x'.repeat(256)]) expect(await groups(odd)).toBeUndefined();
    expect(JSON.stringify(mapped.log.warnings)).toContain('AUTH_JWT_MAX_GROUPS');
    await mapped.stop();
  });

  it('have any other role value of a member where the settings say so', async () => {
    const open = await Edge.start({ AUTH_JWT_SECRET: SECRET, AUTH_JWT_MEMBER_ROLES: '*' });
    const role = async (value: unknown) => (await asWho(open, `Bearer ${await sign({ ...claims, role: value })}`)).body.role;
    expect([await role('root'), await role(['x', 'admin']), await role(7)]).toEqual(['member', 'admin', undefined]);
    await open.stop();
  });

  it('do not shut out opaque ones', async () => {
    expect((await asWho(edge, 'Bearer vb_admin')).status).toBe(200);
  });
});

describe('tokens signed with a published key', () => {
  let edge: Edge;
  let keys: Server;
  let privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  let published: string;
  let failing = false;

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256');
    privateKey = pair.privateKey;
    published = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }] });
    keys = createServer((_, response) => {
      if (failing) response.writeHead(500).end();
      else response.setHeader('content-type', 'application/json').end(published);
    });
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
    edge = await Edge.start({
      AUTH_JWKS_URL: `http://127.0.0.1:${(keys.address() as AddressInfo).port}/keys`,
      AUTH_JWT_ISSUER: 'us',
      AUTH_JWT_AUDIENCE: 'them',
      AUTH_FAILURES_PER_MINUTE: '1000000', // asked until the new keys are there, however often that is
    });
  });
  afterAll(async () => {
    await edge.stop();
    await new Promise((resolve) => keys.close(resolve));
  });

  const claims = { sub: 'ann', tenant: 'acme', iss: 'us', aud: 'them', iat: Math.floor(Date.now() / 1000), exp: soon() };

  it('say so while the keys cannot be had, rather than that the token is wrong', async () => {
    failing = true;
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).setExpirationTime(soon()).sign(privateKey);
    expect((await asWho(edge, `Bearer ${token}`)).body).toMatchObject({ status: 503, code: 'unavailable' });
    failing = false;
  });

  it('are taken', async () => {
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).setExpirationTime(soon()).sign(privateKey);
    expect((await asWho(edge, `Bearer ${token}`)).status).toBe(200);
    expect(edge.accounts.vouchedFor.at(-1)).toEqual(['acme', 'ann', 'member']);
  });

  it('are accepted after the issuer has published a new key under the same id', async () => {
    const next = await generateKeyPair('ES256');
    published = JSON.stringify({ keys: [{ ...(await exportJWK(next.publicKey)), kid: 'k1', alg: 'ES256' }] });
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(next.privateKey);
    await until('the keys are fetched again', async () => (await asWho(edge, `Bearer ${token}`)).status === 200);
    const old = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey);
    expect((await asWho(edge, `Bearer ${old}`)).status).toBe(401);
  });

  it('are rejected when the public key was used as a secret, or the key is another', async () => {
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(new TextEncoder().encode(published));
    const other = await generateKeyPair('ES256');
    const foreign = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(other.privateKey);
    const unknown = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k2' }).sign(other.privateKey);
    for (const token of [confused, foreign, unknown]) expect((await asWho(edge, `Bearer ${token}`)).status).toBe(401);
  });
});

describe('limits', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await Edge.start({ RATE_LIMIT_PER_MINUTE: '5', AUTH_FAILURES_PER_MINUTE: '3' });
  });
  afterAll(() => edge.stop());

  it('delay only the client that asks too often', async () => {
    for (let count = 0; count < 5; count += 1) expect((await asWho(edge, 'Bearer vb_admin')).status).toBe(200);
    const { headers, body } = await asWho(edge, 'Bearer vb_admin');
    expect(body).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await asWho(edge, 'Bearer vb_member')).status).toBe(200);
    expect((await edge.client.get('/health/live')).status).toBe(200);
  });

  it('hold up who guesses, but not who has a right token on the same address', async () => {
    const guesses = await Promise.all(Array.from({ length: 5 }, (_, index) => asWho(edge, `Bearer guess${index}`)));
    expect(guesses.map(({ status }) => status).sort()).toEqual([401, 401, 401, 429, 429]);
    expect((await asWho(edge, null)).status).toBe(401);
    expect((await asWho(edge, 'Bearer vb_member')).status).toBe(200);
  });
});
