import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JWTPayload, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import { type Client, expectStatus } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

const SECRET = 'a secret of at least 32 characters';

let server: TestServer;
let byEmail: TestServer;

beforeAll(async () => {
  server = await startTestServer({ AUTH_JWT_SECRET: SECRET });
  byEmail = await startTestServer({ AUTH_JWT_SECRET: SECRET, AUTH_JWT_USER_CLAIM: 'email' }, server.database, server.client.token);
});
afterAll(async () => {
  await byEmail.stop();
  await server.stop();
});

const nowS = (): number => Math.floor(Date.now() / 1_000);

/** Who the server takes the bearer of these claims for; null: rejected. */
async function bearer(claims: JWTPayload, at: TestServer = server) {
  const token = await new SignJWT({ iat: nowS(), exp: nowS() + 600, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(SECRET));
  const { status, body } = await at.client.as(token).get('/v1/me');
  expect([200, 401]).toContain(status);
  return status === 200 ? { userId: body.userId as string, tenantId: body.tenantId as string, name: body.userName as string, role: body.role as string } : null;
}

/** Other spellings that look the same: of case, composition, width, spaces, and with what is invisible. */
const alike = (name: string): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.constantFrom<(text: string, at: number) => string>(
          (text) => text.toUpperCase(),
          (text) => text.normalize('NFD'),
          (text) => text.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xff_00 - 0x20)),
          (text) => ` ${text}\u00a0`,
          ...['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u202e', '\ufe0f', '\u034f'].map((invisible) => (text: string, at: number) => {
            const characters = [...text];
            const place = at % (characters.length + 1);
            return [...characters.slice(0, place), invisible, ...characters.slice(place)].join('');
          }),
        ),
        fc.nat(20),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((changes) => changes.reduce((text, [change, at]) => change(text, at), name))
    .filter((other) => other !== name && other.length < 200);

describe('users of an issuer', () => {
  const runs = { numRuns: 40 };

  it('are not those whose name only looks like theirs, and nobody else has their name', async () => {
    const tenant = `Acmé ${randomUUID()}`;
    const ann = (await bearer({ tenant, sub: 'anné b' }))!;
    await fc.assert(
      fc.asyncProperty(alike('anné b'), alike(tenant), async (other, otherTenant) => {
        expect(await bearer({ tenant, sub: other })).toBeNull();
        expect(await bearer({ tenant: otherTenant, sub: 'anné b' })).toBeNull();
        expect(await bearer({ tenant, sub: 'anné b', iss: 'another issuer' })).toBeNull();
      }),
      runs,
    );
    expect(await bearer({ tenant, sub: 'anné b' })).toEqual(ann);
  });

  it('are found by an admin in any spelling, and are one user', async () => {
    const admin = await server.tenant(randomUUID());
    const made = async (userName: string): Promise<string> => expectStatus(await admin.post('/v1/tokens', { userName }), 201).body.userId;
    const ben = await made('bén');
    await fc.assert(
      fc.asyncProperty(alike('bén'), async (other) => expect(await made(other)).toBe(ben)),
      runs,
    );
    expect((await admin.get('/v1/users')).body.data.map(({ name }: { readonly name: string }) => name).sort()).toEqual(['admin', 'bén']);
    expect((await admin.post('/v1/tokens', { userName: '\u200b \u2060' })).body.code).toBe('invalid_input');
  });

  it('whom an admin made before are the ones with exactly that name', async () => {
    const name = randomUUID();
    const admin = await server.tenant(name);
    const { userId } = expectStatus(await admin.post('/v1/tokens', { userName: 'cleo' }), 201).body;
    expect(await bearer({ tenant: name, sub: 'Cleo' })).toBeNull();
    expect(await bearer({ tenant: name, sub: 'cleo' })).toMatchObject({ userId });
  });

  it('are named by an address only when the issuer has verified it', async () => {
    const tenant = randomUUID();
    const claims = { tenant, sub: '1', email: 'dan@example.com' };
    for (const email_verified of [undefined, false, 'true', 1, null]) expect(await bearer({ ...claims, email_verified }, byEmail)).toBeNull();
    const dan = await bearer({ ...claims, email_verified: true }, byEmail);
    expect(dan).toMatchObject({ name: 'dan@example.com' });
    // Another person with the address is not that user; the same person with another address is.
    expect(await bearer({ ...claims, sub: '2', email_verified: true }, byEmail)).toBeNull();
    expect(await bearer({ ...claims, email: 'dan@example.org', email_verified: true }, byEmail)).toEqual(dan);
  });
});

describe('the role in a signed token', () => {
  const roleOf = async (claims: JWTPayload) => (await bearer(claims))?.role;
  const people = async (): Promise<{ readonly tenant: string; readonly admin: Client; readonly userId: string }> => {
    const tenant = randomUUID();
    const admin = await server.tenant(tenant);
    return { tenant, admin, userId: (await bearer({ tenant, sub: 'eve' }))!.userId };
  };

  it('is not raised by a token that was issued before the issuer lowered it', async () => {
    const { tenant } = await people();
    const older = { tenant, sub: 'eve', role: 'admin', iat: nowS() - 60 };
    const newer = { tenant, sub: 'eve', role: 'member', iat: nowS() - 30 };
    expect(await roleOf(older)).toBe('admin');
    expect([await roleOf(newer), await roleOf(older), await roleOf({ tenant, sub: 'eve' })]).toEqual(['member', 'member', 'member']);
    // The newer one had not changed anything, either.
    expect([await roleOf({ ...older, sub: 'fay', role: 'member' }), await roleOf({ ...newer, sub: 'fay' })]).toEqual(['member', 'member']);
    expect(await roleOf({ ...newer, sub: 'fay', role: 'admin', iat: nowS() - 45 })).toBe('member');
    expect(await roleOf({ tenant, sub: 'fay', role: 'admin', iat: nowS() - 15 })).toBe('admin');
  });

  it('is not raised by a token that was issued before an admin lowered it, and not kept by one that says less', async () => {
    const { tenant, admin, userId } = await people();
    const claims = { tenant, sub: 'eve', role: 'admin', iat: nowS() - 60 };
    expect(await roleOf(claims)).toBe('admin');
    expectStatus(await admin.call('PATCH', `/v1/users/${userId}`, { role: 'member' }), 200);
    expect(await roleOf(claims)).toBe('member');
    expect((await admin.get(`/v1/users/${userId}`)).body.role).toBe('member');
    expectStatus(await admin.call('PATCH', `/v1/users/${userId}`, { role: 'admin' }), 200);
    expect([await roleOf({ ...claims, role: 'member' }), await roleOf({ ...claims, role: 'auditor' }), await roleOf(claims)]).toEqual([
      'member',
      'auditor',
      'admin',
    ]);
  });

  it('is the lowest of those that were issued in the same second, in any order', async () => {
    const { tenant } = await people();
    const at = { tenant, iat: nowS() - 60 };
    for (const [sub, ...roles] of [
      ['gus', 'admin', 'member', 'admin'],
      ['hal', 'member', 'admin', 'member'],
    ] as const) {
      for (const role of roles) await roleOf({ ...at, sub, role });
      expect(await roleOf({ ...at, sub, role: 'admin' })).toBe('member');
    }
  });
});
