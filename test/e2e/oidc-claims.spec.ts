import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { freePort } from '../support/port.js';
import { ScriptedIssuer } from '../support/scripted-issuer.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let issuer: ScriptedIssuer;
let origin: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  issuer = await ScriptedIssuer.start();
  issuer.userInfo = { sub: '1' };
  server = await startTestServer({
    PORT: String(port),
    PUBLIC_URL: origin,
    OIDC_ISSUER: issuer.issuer,
    OIDC_CLIENT_ID: 'verbatim',
    OIDC_TENANT: 'everybody',
    AUTH_JWT_USER_CLAIM: 'email',
  });
});
afterAll(async () => {
  await server.stop();
  await issuer.stop();
});

/** Who the server takes a person with these claims for; null: the sign-in is rejected. */
async function signedIn(claims: object, userInfo: object = {}): Promise<string | null> {
  issuer.claims = { sub: '1', ...claims };
  issuer.userInfo = { sub: issuer.claims.sub, ...userInfo };
  const browser = new Browser(server.client);
  const visit = async (address: string): Promise<string> => {
    const response = await fetch(new URL(address, origin), { redirect: 'manual', headers: browser.headers });
    browser.keep(response.headers);
    expect(response.status).toBe(302);
    return response.headers.get('location')!;
  };
  const page = await visit(issuer.answerTo(await visit('/v1/sign-in/oidc')));
  if (page !== '/console') {
    expect(page).toContain('error=sign_in_rejected');
    return null;
  }
  return (await browser.get('/v1/me')).body.userName;
}

const ANN = { email: 'ann@example.com', email_verified: true };

describe('a sign-in at an identity provider', () => {
  it('names the user by an address that the provider has verified, and by no other one', async () => {
    expect(await signedIn(ANN)).toBe('ann@example.com');
    for (const email_verified of [undefined, false, 'true', null]) {
      expect(await signedIn({ ...ANN, email_verified })).toBeNull();
      expect(await signedIn({}, { ...ANN, email_verified })).toBeNull();
    }
    expect(await signedIn({}, ANN)).toBe('ann@example.com');
    // The user info verifies another address than the one in the id token.
    expect(await signedIn({ email: 'ann@example.com' }, { email: 'eve@example.com', email_verified: true })).toBeNull();
    expect(await signedIn({ sub: '2', ...ANN })).toBeNull();
  });

  it('is rejected with an id token of the future', async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const iat of [now + 3_600, now + 60]) expect(await signedIn({ ...ANN, iat })).toBeNull();
    expect(await signedIn({ ...ANN, iat: now })).toBe('ann@example.com');
  });

  it('continues when the provider signs with another key, every time', async () => {
    for (let times = 0; times < 3; times += 1) {
      expect(await signedIn(ANN)).toBe('ann@example.com');
      await issuer.rotate();
      expect(await signedIn(ANN)).toBe('ann@example.com');
    }
  });
});
