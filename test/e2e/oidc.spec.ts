import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { CLIENT, IdentityProvider } from '../support/identity-provider.js';
import { freePort } from '../support/port.js';
import { startTestServer, type TestServer } from '../support/server.js';

const TENANT = 'a tenant of the provider';

let server: TestServer;
let provider: IdentityProvider;
let origin: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  provider = await IdentityProvider.start(`${origin}/v1/sign-in/oidc/callback`);
  server = await startTestServer({
    PORT: String(port),
    PUBLIC_URL: origin,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    AUTH_JWT_MAX_GROUPS: '3',
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});

/** Goes to an address of the server, and returns where it leads. */
async function visit(browser: Browser, address: string): Promise<URL> {
  const response = await fetch(new URL(address, origin), { redirect: 'manual', headers: { ...browser.headers, 'sec-fetch-site': 'cross-site' } });
  browser.keep(response.headers);
  expect([address.split('?')[0], response.status]).toEqual([address.split('?')[0], 302]);
  return new URL(response.headers.get('location')!, origin);
}

/** The address to which the provider sends the browser back. */
const asked = async (browser: Browser, query = ''): Promise<string> => provider.follow((await visit(browser, `/v1/sign-in/oidc${query}`)).href);

async function signedIn(person: IdentityProvider['person'], query = ''): Promise<{ readonly browser: Browser; readonly page: URL }> {
  provider.person = { tenant: TENANT, ...person };
  const browser = new Browser(server.client);
  return { browser, page: await visit(browser, await asked(browser, query)) };
}

const rejected = (page: URL) => expect([page.pathname, page.searchParams.get('error')]).toEqual(['/console/sign-in', 'sign_in_rejected']);

/** Changes what the browser keeps while a person is at the provider. */
function change(browser: Browser, member: string, value: string): void {
  const kept = JSON.parse(Buffer.from(browser.cookies.get('verbatim-oidc')!, 'base64url').toString());
  browser.cookies.set('verbatim-oidc', Buffer.from(JSON.stringify({ ...kept, [member]: value })).toString('base64url'));
}

describe('signing in at an identity provider', () => {
  it('is offered, and makes a user with the tenant, role and groups of the claims', async () => {
    expect((await server.client.as(null).get('/v1/sign-in')).body).toEqual({ methods: ['link', 'oidc'] });
    const { browser, page } = await signedIn({ sub: 'ann', role: 'auditor', groups: ['support', 'sales', 'support'] }, '?returnTo=/console/sessions?x=1');
    expect(page.href).toBe(`${origin}/console/sessions?x=1`);
    expect([...browser.cookies.keys()]).toEqual(['verbatim']);
    const me = (await browser.get('/v1/me')).body;
    expect(me).toMatchObject({
      tenantName: TENANT,
      userName: 'ann',
      role: 'auditor',
      groups: ['support', 'sales'],
      scopes: null,
      signInId: expect.any(String),
    });
    expect((await browser.get('/v1/sign-ins')).body.data[0]).toMatchObject({ id: me.signInId, method: 'oidc' });
  });

  it('asks with a challenge of PKCE, a state and a nonce, and never shows the secret', async () => {
    const browser = new Browser(server.client);
    const { searchParams: query, href } = await visit(browser, '/v1/sign-in/oidc');
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      client_id: CLIENT.id,
      scope: 'openid profile email',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)).toMatch(/^[\w-]{43}$/);
    expect(href).not.toContain(encodeURIComponent(CLIENT.secret));
  });

  it('gives the role of the claim at each time, and keeps the role without a claim', async () => {
    const role = async (claims: object) => (await (await signedIn({ sub: 'bea', ...claims })).browser.get('/v1/me')).body.role;
    expect([await role({}), await role({ role: ['unrelated', 'admin'] }), await role({}), await role({ role: 'member' })]).toEqual([
      'member',
      'admin',
      'admin',
      'member',
    ]);
  });

  it('takes a response once, and only in the browser that asked', async () => {
    provider.person = { sub: 'cleo', tenant: TENANT };
    const browser = new Browser(server.client);
    const back = await asked(browser);
    rejected(await visit(new Browser(server.client), back));
    const kept = browser.cookies.get('verbatim-oidc')!;
    expect((await visit(browser, back)).pathname).toBe('/console');
    expect(browser.cookies.has('verbatim')).toBe(true);
    rejected(await visit(browser, back));
    const replaying = new Browser(server.client);
    replaying.cookies.set('verbatim-oidc', kept);
    rejected(await visit(replaying, back));
    expect(replaying.cookies.size).toBe(0);
  });

  it('is rejected when state, nonce, verifier, issuer or code are of something else', async () => {
    provider.person = { sub: 'dan', tenant: TENANT };
    for (const member of ['state', 'nonce', 'verifier']) {
      const browser = new Browser(server.client);
      const back = await asked(browser);
      change(browser, member, 'a'.repeat(43));
      rejected(await visit(browser, back));
      expect([member, browser.cookies.size]).toEqual([member, 0]);
    }
    for (const parameter of ['state', 'iss', 'code']) {
      const browser = new Browser(server.client);
      const back = new URL(await asked(browser));
      back.searchParams.set(parameter, 'https://other.example');
      rejected(await visit(browser, back.href));
      expect([parameter, browser.cookies.size]).toEqual([parameter, 0]);
    }
  });

  it('is rejected when the provider says so, and when the browser kept something else', async () => {
    const browser = new Browser(server.client);
    const state = (await visit(browser, '/v1/sign-in/oidc')).searchParams.get('state')!;
    rejected(await visit(browser, `/v1/sign-in/oidc/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`));
    for (const odd of ['', 'e30', 'x', Buffer.from('null').toString('base64url')]) {
      browser.cookies.set('verbatim-oidc', odd);
      rejected(await visit(browser, '/v1/sign-in/oidc/callback?code=a&state=b'));
    }
  });

  it('is rejected with claims that name no tenant, no known role, or too many groups', async () => {
    for (const claims of [
      { tenant: '' },
      { tenant: undefined },
      { role: 'root' },
      { role: ['root'] },
      { groups: ['a', 'b', 'c', 'd'] },
      { groups: [1] },
      { groups: { a: 1 } },
    ]) {
      const { browser, page } = await signedIn({ sub: 'eve', ...claims });
      rejected(page);
      expect([claims, browser.cookies.size]).toEqual([claims, 0]);
    }
  });

  it('returns to pages of this origin only', async () => {
    for (const odd of ['https://evil.example', '//evil.example', '/\\evil.example', 'console', '/a b', '']) {
      const { status, body } = await server.client.as(null).get(`/v1/sign-in/oidc?returnTo=${encodeURIComponent(odd)}`);
      expect([odd, status, body.code]).toEqual([odd, 400, 'invalid_input']);
    }
    provider.person = { sub: 'fay', tenant: TENANT };
    const browser = new Browser(server.client);
    const back = await asked(browser);
    change(browser, 'returnTo', '//evil.example');
    rejected(await visit(browser, back));
  });

  it('is not there without a provider, and says so while the provider is away', async () => {
    const port = await freePort();
    const away = await startTestServer(
      { PUBLIC_URL: origin, OIDC_ISSUER: `http://127.0.0.1:${port}`, OIDC_CLIENT_ID: 'x', OIDC_TENANT: 'everybody' },
      server.database,
      server.client.token,
    );
    const response = await fetch(`${away.client.baseUrl}/v1/sign-in/oidc`, { redirect: 'manual' });
    expect(response.headers.get('location')).toMatch(/^\/console\/sign-in\?error=unavailable&instance=[\w-]+$/);
    await away.stop();
    const without = await startTestServer({}, server.database, server.client.token);
    expect((await without.client.as(null).get('/v1/sign-in')).body).toEqual({ methods: ['link'] });
    for (const path of ['', '/callback?code=a&state=b']) expect((await without.client.as(null).get(`/v1/sign-in/oidc${path}`)).body.code).toBe('not_found');
    await without.stop();
  });
});
