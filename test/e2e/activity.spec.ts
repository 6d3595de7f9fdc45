import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

const SECRET = 'marmalade';

describe.each([
  ['in plain text', {}],
  ['encrypted', { ENCRYPTION: 'on', ENCRYPTION_KEYS: `first:${Buffer.alloc(32, 7).toString('base64')}` }],
])('the activity of a tenant, %s', (_, environment) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer(environment);
  });
  afterAll(() => server.stop());

  const listed = async (client: Client, query = ''): Promise<UnknownObject> => expectStatus(await client.get(`/v1/activity?${query}`), 200).body;
  const acts = async (client: Client, query = ''): Promise<readonly string[]> => (await listed(client, query)).data.map(({ act }: UnknownObject) => act);
  const memberOf = async (admin: Client, userName: string, role?: string) => {
    const { token, userId } = expectStatus(await admin.post('/v1/tokens', { userName, ...(role ? { role } : {}) }), 201).body;
    return { client: admin.as(token), userId: userId as string };
  };
  /** Shared, linked, held, opened, and erased in part. */
  async function busy(name: string) {
    const admin = await server.tenant(name);
    const adminId = (await admin.get('/v1/me')).body.userId as string;
    const [owner, reader, auditor] = [await memberOf(admin, 'owner'), await memberOf(admin, 'reader'), await memberOf(admin, 'auditor', 'auditor')];
    const id = await owner.client.session({ title: SECRET });
    await owner.client.ask(id, `${SECRET} one`);
    await owner.client.ask(id, `${SECRET} two`);
    expectStatus(await owner.client.call('PUT', `/v1/sessions/${id}/grants/user:${reader.userId}`, { role: 'editor' }), 200);
    expectStatus(await owner.client.call('DELETE', `/v1/sessions/${id}/grants/user:${reader.userId}`), 200);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const link = expectStatus(await owner.client.post(`/v1/sessions/${id}/links`, { expiresAt }), 201).body;
    expectStatus(await owner.client.call('DELETE', `/v1/sessions/${id}/links/${link.id}`), 204);
    const opened = expectStatus(await auditor.client.post(`/v1/sessions/${id}/break-glass`, { reason: `${SECRET} was reported` }), 200).body;
    expectStatus(await admin.post(`/v1/sessions/${id}/hold`, { reason: `case of ${SECRET}` }), 200);
    expectStatus(await admin.call('DELETE', `/v1/sessions/${id}/hold`), 200);
    const [first] = await owner.client.messages(id);
    expectStatus(await owner.client.call('DELETE', `/v1/sessions/${id}/messages/${first.uuid}?reason=${SECRET}`), 202);
    return { admin, adminId, owner, reader, auditor, id, opened };
  }

  it('says who did what in which session, newest first, without content and reasons', async () => {
    const { admin, adminId, owner, reader, auditor, id, opened } = await busy('acts');
    const { data, nextCursor } = await listed(admin);
    const nothing = { userId: null, principal: null, role: null, messages: null, until: null, erasureId: null };
    const entry = (act: string, by: string, more: object = {}) => ({
      ...nothing,
      id: expect.any(String),
      at: expect.any(String),
      act,
      by,
      sessionId: id,
      ...more,
    });
    const principal = `user:${reader.userId}`;
    expect(data).toEqual([
      entry('messages_erased', owner.userId, { messages: expect.any(Number), erasureId: expect.any(String) }),
      entry('hold_released', adminId),
      entry('hold_placed', adminId),
      entry('emergency_access', auditor.userId, { until: opened.until }),
      entry('link_revoked', owner.userId),
      entry('link_created', owner.userId),
      entry('role_taken', owner.userId, { principal }),
      entry('role_given', owner.userId, { principal, role: 'editor' }),
    ]);
    expect(nextCursor).toBeNull();
    expect(JSON.stringify(data)).not.toContain(SECRET);
    expect(data[0].messages).toBeGreaterThan(0);
    const times = data.map(({ at }: UnknownObject) => Date.parse(at));
    expect(times).toEqual(times.toSorted((one: number, other: number) => other - one));
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const open = expectStatus(await owner.client.post(`/v1/sessions/${id}/links`, { expiresAt }), 201).body;
    expectStatus(await server.client.as(open.secret).get('/v1/shared'), 200);
    expectStatus(await admin.call('DELETE', `/v1/sessions/${id}`), 202);
    const after = (await listed(admin)).data;
    // Links end with it, and stay in the list.
    expectStatus(await server.client.as(open.secret).get('/v1/shared'), 401);
    expect(after.map(({ act }: UnknownObject) => act)).toEqual(['session_erased', 'link_created', ...data.map(({ act }: UnknownObject) => act)]);
    expect(after[0]).toEqual(entry('session_erased', adminId, { erasureId: expect.any(String) }));
    expect(after.find(({ act }: UnknownObject) => act === 'role_given')).toEqual(entry('role_given', owner.userId, { principal, role: 'editor' }));
    // The reason is erased; until when it could be read is still known.
    expect(after.find(({ act }: UnknownObject) => act === 'emergency_access')).toEqual(entry('emergency_access', auditor.userId, { until: opened.until }));
    expect(JSON.stringify(after)).not.toContain(SECRET);
    // All that a person owns.
    expectStatus(await admin.call('DELETE', `/v1/users/${owner.userId}/content`), 202);
    const [newest] = (await listed(admin, 'kind=erasures')).data.filter(({ act }: UnknownObject) => act === 'user_content_erased');
    expect(newest).toEqual({ ...entry('user_content_erased', adminId), sessionId: null, userId: owner.userId });
  });

  it('is read page by page and by kind, by admins and auditors of the tenant alone', async () => {
    const { admin, owner, auditor } = await busy('pages');
    const all = await acts(admin);
    expect(all).toHaveLength(8);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: UnknownObject = await listed(admin, `limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      paged.push(...page.data.map(({ act }: UnknownObject) => act));
      cursor = page.nextCursor as string | null;
    }
    expect(paged).toEqual(all);
    expect(await acts(admin, 'kind=holds')).toEqual(['hold_released', 'hold_placed']);
    expect(await acts(admin, 'kind=roles')).toEqual(['role_taken', 'role_given']);
    expect(await acts(admin, 'kind=links')).toEqual(['link_revoked', 'link_created']);
    expect(await acts(admin, 'kind=emergency_access')).toEqual(['emergency_access']);
    expect(await acts(admin, 'kind=erasures')).toEqual(['messages_erased']);
    const { nextCursor } = await listed(admin, 'kind=holds&limit=1');
    expect(expectStatus(await admin.get(`/v1/activity?kind=roles&cursor=${encodeURIComponent(nextCursor)}`), 400).body.code).toBe('invalid_input');
    expect(await acts(auditor.client)).toEqual(all);
    expectStatus(await owner.client.get('/v1/activity'), 403);
    expect(await acts(await server.tenant('others'))).toEqual([]);
  });
});
