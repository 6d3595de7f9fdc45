import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Identity } from '../../src/ports/index.js';
import { PostgresAccounts } from '../../src/features/people/postgres-accounts.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { type Principal, principalOf } from '../../packages/protocol/access/principal.js';

let store: PostgresStore;
let accounts: PostgresAccounts;

beforeAll(async () => {
  store = await postgresStore();
  accounts = new PostgresAccounts(store.database);
});
afterAll(() => store.close());

const HOUR = 3_600_000;

const identity = (tenant: string, user: string): Identity => ({ tenant, user, issuer: 'us', subject: user, role: 'member', issuedAt: 1_000 });
const NO_END = { name: null, role: 'member', scopes: null, expiresAt: null } as const;

async function admin(): Promise<Principal> {
  const { token } = await accounts.createTenant(`tenant ${randomUUID()}`, 'ada');
  return (await accounts.principal(token))!;
}

describe('tenants', () => {
  it('are created with an admin, whose token is accepted', async () => {
    const name = `tenant ${randomUUID()}`;
    const before = await accounts.tenants();
    const made = await accounts.createTenant(name, 'ada');
    expect(made.token).toMatch(/^vb_[A-Za-z0-9_-]{22}_[A-Za-z0-9_-]{43}$/);
    expect(await accounts.tenants()).toBe(before + 1);
    const principal = await accounts.principal(made.token);
    expect(principal).toEqual(principalOf({ tenantId: made.tenantId, userId: made.userId, role: 'admin', tokenId: expect.any(String) as unknown as string }));
    expect(await accounts.describe(principal!)).toEqual({ tenantName: name, userName: 'ada' });
  });

  it('have unique names, also when created concurrently', async () => {
    const name = `tenant ${randomUUID()}`;
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => accounts.createTenant(name, 'ada')));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'invalid_input' });
  });

  it('reject names that cannot be stored', async () => {
    for (const name of ['a\0b', '\ud800']) {
      await expect(accounts.createTenant(name, 'ada')).rejects.toMatchObject({ code: 'invalid_input' });
      await expect(accounts.createTenant(`tenant ${randomUUID()}`, name)).rejects.toMatchObject({ code: 'invalid_input' });
      await expect(accounts.vouched(identity(name, 'ada'))).rejects.toMatchObject({ code: 'invalid_input' });
      await expect(accounts.vouched(identity('acme', name))).rejects.toMatchObject({ code: 'invalid_input' });
      await expect(accounts.createToken(await admin(), { ...NO_END, name })).rejects.toMatchObject({ code: 'invalid_input' });
    }
  });
});

describe('tokens', () => {
  it('are stored as hashes only', async () => {
    const { token } = await accounts.createToken(await admin(), NO_END);
    await withConnection(store.urls.ownerUrl, 60_000, async (client) => {
      const { rows } = await client.query('SELECT t::text AS row FROM api_token t WHERE token_hash = $1', [createHash('sha256').update(token).digest()]);
      expect(rows).toHaveLength(1);
      expect(rows[0].row).not.toContain(token.slice(3));
    });
  });

  it('are looked up among those of the tenant that they name', async () => {
    const [one, other] = [await accounts.createToken(await admin(), NO_END), await accounts.createToken(await admin(), NO_END)];
    const tenantOf = (token: string): string => token.slice(3, 25);
    expect(await accounts.principal(one.token.replace(tenantOf(one.token), tenantOf(other.token)))).toBeNull();
    expect(await accounts.principal(one.token)).not.toBeNull();
  });

  it('are rejected when expired, revoked or unknown', async () => {
    const principal = await admin();
    const at = (offset: number): string => new Date(Date.now() + offset).toISOString();
    const lasting = await accounts.createToken(principal, { ...NO_END, expiresAt: at(HOUR) });
    const expired = await accounts.createToken(principal, { ...NO_END, expiresAt: at(-1) });
    expect(await accounts.principal(lasting.token)).toMatchObject({ userId: principal.userId, role: 'member', tokenId: lasting.id });
    expect(await accounts.principal(expired.token)).toBeNull();
    expect(await accounts.principal('vb_unknown')).toBeNull();
    expect(await accounts.principal('\0\ud800')).toBeNull();
    expect(await accounts.revokeToken(principal, lasting.id)).toBe(true);
    expect(await accounts.principal(lasting.token)).toBeNull();
    expect(await accounts.revokeToken(principal, lasting.id)).toBe(false);
  });

  it('that are rejected are rejected for a reason', async () => {
    const principal = await admin();
    const reasons: string[] = [];
    const refused = (token: string) => accounts.principal(token, (reason) => reasons.push(reason));
    const expired = await accounts.createToken(principal, { ...NO_END, expiresAt: new Date(Date.now() - 1).toISOString() });
    const revoked = await accounts.createToken(principal, NO_END);
    await accounts.revokeToken(principal, revoked.id);
    for (const token of [expired.token, revoked.token, 'vb_unknown']) expect(await refused(token)).toBeNull();
    expect(reasons).toEqual(['it has expired', 'it is revoked', 'it is unknown']);
  });

  it('that are valid cost one statement, and none while it is remembered', async () => {
    const made = await accounts.createToken(await admin(), NO_END);
    const statements = jest.spyOn(store.database, 'inTenant');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now()); // however long a statement takes
    for (let count = 0; count < 3; count += 1) expect(await accounts.principal(made.token)).not.toBeNull();
    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
    clock.mockRestore();
  });

  it('can be created by an admin for another user, who is created when missing', async () => {
    const principal = await admin();
    const made = await accounts.createToken(principal, { ...NO_END, name: 'laptop', userName: 'ben' });
    const ben = (await accounts.principal(made.token))!;
    expect(made).toEqual({
      id: ben.tokenId,
      name: 'laptop',
      parentId: principal.tokenId,
      userId: ben.userId,
      role: 'member',
      scopes: null,
      createdAt: expect.any(String),
      expiresAt: null,
      token: made.token,
    });
    expect(ben.tenantId).toBe(principal.tenantId);
    expect(ben.userId).not.toBe(principal.userId);
    expect(await accounts.describe(ben)).toMatchObject({ userName: 'ben' });
    const second = await accounts.createToken(principal, { ...NO_END, userName: 'ben' });
    expect(second.userId).toBe(ben.userId);
  });

  it("cannot be created by a member with more rights than the member's", async () => {
    const principal = await admin();
    const { token } = await accounts.createToken(principal, { ...NO_END, userName: 'ben' });
    const ben = (await accounts.principal(token))!;
    await expect(accounts.createToken(ben, { ...NO_END, role: 'admin' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(accounts.createToken(ben, { ...NO_END, userName: 'ada' })).rejects.toMatchObject({ code: 'forbidden' });
    expect((await accounts.createToken(ben, { ...NO_END, userName: 'ben' })).userId).toBe(ben.userId);
  });

  it('can be revoked by their owner and an admin of the tenant only', async () => {
    const principal = await admin();
    const outsider = await admin();
    const made = await accounts.createToken(principal, { ...NO_END, userName: 'ben' });
    const other = await accounts.createToken(principal, { ...NO_END, userName: 'cleo' });
    const ben = (await accounts.principal(made.token))!;
    expect(await accounts.revokeToken(ben, other.id)).toBe(false);
    expect(await accounts.revokeToken(outsider, other.id)).toBe(false);
    expect(await accounts.revokeToken(principal, 'nonsense')).toBe(false);
    expect(await accounts.principal(other.token)).not.toBeNull();
    expect(await accounts.revokeToken(ben, made.id)).toBe(true);
    expect(await accounts.revokeToken(principal, other.id)).toBe(true);
  });
});

describe('identities in signed tokens', () => {
  it('are stable, and created once by concurrent requests', async () => {
    const tenant = `org|${randomUUID()}`;
    const met = await Promise.all(Array.from({ length: 10 }, () => accounts.vouched(identity(tenant, 'auth0|ada'))));
    for (const principal of met) expect(principal).toEqual(met[0]);
    expect(await accounts.vouched({ ...identity(tenant, 'auth0|ada'), role: 'admin', issuedAt: Date.now() })).toEqual({ ...met[0], role: 'admin' });
    expect(await accounts.describe(met[0]!)).toEqual({ tenantName: tenant, userName: 'auth0|ada' });
  });

  it('are distinct by tenant and by what the name looks like', async () => {
    const tenant = `org ${randomUUID()}`;
    const names = ['ada', 'add', 'a da', 'é', 'x'.repeat(100_000)];
    const users = await Promise.all(names.map((name) => accounts.vouched(identity(tenant, name))));
    expect(new Set(users.map((user) => user!.userId)).size).toBe(names.length);
    expect((await accounts.vouched(identity(`${tenant}2`, 'ada')))!.userId).not.toBe(users[0]!.userId);
    for (const alike of ['Ada', ' ada', 'e\u0301', 'a\u200bda']) expect(await accounts.vouched(identity(tenant, alike))).toBeNull();
    expect(await accounts.vouched(identity(tenant.toUpperCase(), 'ada'))).toBeNull();
  });

  it('are described if they exist', async () => {
    await expect(accounts.describe(principalOf({ tenantId: randomUUID(), userId: randomUUID(), role: 'member' }))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('tokens created with other credentials', () => {
  const soon = () => new Date(Date.now() + HOUR).toISOString();

  it('expire with them at the latest', async () => {
    const { tenantId, userId } = await admin();
    const expiresAt = soon();
    const signed = principalOf({ tenantId, userId, role: 'admin', expiresAt });
    expect(await accounts.createToken(signed, NO_END)).toMatchObject({ expiresAt, parentId: null });
    const earlier = new Date(Date.now() + HOUR / 2).toISOString();
    expect((await accounts.createToken(signed, { ...NO_END, expiresAt: earlier })).expiresAt).toBe(earlier);
    const later = new Date(Date.now() + 2 * HOUR).toISOString();
    await expect(accounts.createToken(signed, { ...NO_END, expiresAt: later })).rejects.toMatchObject({ code: 'invalid_input' });
    const child = await accounts.createToken(signed, NO_END);
    const grandchild = await accounts.createToken((await accounts.principal(child.token))!, NO_END);
    expect(grandchild).toMatchObject({ expiresAt, parentId: child.id });
  });

  it('are revoked with them, and are not listed afterwards', async () => {
    const root = await admin();
    const parent = await accounts.createToken(root, { ...NO_END, role: 'admin' });
    const child = await accounts.createToken((await accounts.principal(parent.token))!, NO_END);
    const grandchild = await accounts.createToken((await accounts.principal(child.token))!, NO_END);
    const other = await accounts.createToken(root, NO_END);
    const listed = async () => (await accounts.tokens(root, 50, null)).map(({ id }) => id);
    expect(await listed()).toEqual(expect.arrayContaining([parent.id, child.id, grandchild.id, other.id]));
    const stale = (await accounts.principal(parent.token))!;
    expect(await accounts.revokeToken(root, parent.id)).toBe(true);
    for (const { token } of [parent, child, grandchild]) expect(await accounts.principal(token)).toBeNull();
    expect(await accounts.principal(other.token)).not.toBeNull();
    expect((await listed()).sort()).toEqual([other.id, root.tokenId].sort());
    await expect(accounts.createToken(stale, NO_END)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it("are listed in pages, a member's own only", async () => {
    const root = await admin();
    for (let count = 0; count < 4; count += 1) await accounts.createToken(root, NO_END);
    const first = await accounts.tokens(root, 3, null);
    const rest = await accounts.tokens(root, 3, first.at(-1)!.id);
    expect([first.length, rest.length, new Set([...first, ...rest].map(({ id }) => id)).size]).toEqual([3, 2, 5]);
    const made = await accounts.createToken(root, { ...NO_END, userName: 'bob' });
    const bob = (await accounts.principal(made.token))!;
    expect((await accounts.tokens(bob, 50, null)).map(({ id }) => id)).toEqual([made.id]);
  });
});
