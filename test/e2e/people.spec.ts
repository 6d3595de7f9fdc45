import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { startTestServer, type TestServer } from '../support/server.js';

const NOWHERE = '00000000-0000-0000-0000-000000000001';

describe('people', () => {
  let server: TestServer;
  /** Another process of the same deployment, which hears notices, and also checks often. */
  let other: TestServer;
  let admin: Client;
  let [ann, ben, cleo]: Client[] = [];
  const ids: Record<string, string> = {};

  async function user(userName: string): Promise<Client> {
    const { token, userId } = expectStatus(await admin.post('/v1/tokens', { userName }), 201).body;
    ids[userName] = userId;
    return admin.as(token);
  }

  beforeAll(async () => {
    // Nothing is checked by the clock here: what ends a stream is a notice.
    server = await startTestServer({ STREAM_HEARTBEAT_MS: '600000', STREAM_RECHECK_MS: '600000' });
    admin = server.client;
    other = await startTestServer({ STREAM_HEARTBEAT_MS: '600000', STREAM_RECHECK_MS: '50' }, server.database, admin.token);
    [ann, ben, cleo] = [await user('ann'), await user('ben'), await user('cleo')];
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  const grant = (by: Client, id: string, principal: string, role: string) => by.call('PUT', `/v1/sessions/${id}/grants/${principal}`, { role });

  describe('a session that is shared', () => {
    it('is read, prompted and left by the role that was given, by name before its user was ever seen', async () => {
      const id = await ann!.session();
      await ann!.ask(id, 'hello');
      expect((await ben!.get(`/v1/sessions/${id}`)).status).toBe(404);

      expectStatus(await grant(ann!, id, 'user:ben', 'viewer'), 200);
      expect((await ben!.get(`/v1/sessions/${id}/messages`)).body.data.length).toBeGreaterThan(0);
      expect((await ben!.post(`/v1/sessions/${id}/prompts`, { input: 'x' })).body.code).toBe('forbidden');
      expect((await ben!.call('PUT', `/v1/sessions/${id}/grants/user:cleo`, { role: 'viewer' })).body.code).toBe('forbidden');

      expectStatus(await grant(ann!, id, `user:${ids['ben']}`, 'editor'), 200);
      await ben!.ask(id, 'and me');
      const { data } = (await ann!.get(`/v1/sessions/${id}/messages`)).body;
      expect(data.filter((message: UnknownObject) => message.by?.kind === 'user').map((message: UnknownObject) => message.by.id)).toEqual([
        ids['ann'],
        ids['ben'],
      ]);

      const listed = (await ben!.get('/v1/sessions?scope=shared')).body.data.map((row: UnknownObject) => row.id);
      expect(listed).toEqual([id]);
      expect((await ben!.get('/v1/sessions')).body.data).toEqual([]);

      expectStatus(await ben!.call('DELETE', `/v1/sessions/${id}/grants/user:ben`), 200);
      expect((await ben!.get(`/v1/sessions/${id}`)).status).toBe(404);
      expect((await ben!.get('/v1/sessions?scope=shared')).body.data).toEqual([]);
    });

    it('always has an owner, and can be handed over with what the search finds', async () => {
      const id = await ann!.session();
      await ann!.ask(id, 'handover zebra');
      expect((await ann!.call('DELETE', `/v1/sessions/${id}/grants/user:ann`)).body.code).toBe('last_owner');
      expect((await grant(ann!, id, 'user:ann', 'viewer')).body.code).toBe('last_owner');
      expect((await grant(ann!, id, 'group:support', 'owner')).body.code).toBe('invalid_input');
      for (const hidden of ['sup\u200bport', 'support\u2060', ' support', 'support\u00a0']) {
        const principal = `group:${encodeURIComponent(hidden)}`;
        expect((await grant(ann!, id, principal, 'viewer')).body).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/principal' }] });
      }
      expectStatus(await grant(ann!, id, 'user:cleo', 'owner'), 200);
      expect((await ann!.call('DELETE', `/v1/sessions/${id}/grants/user:ann`)).body.data).toEqual([{ principal: `user:${ids['cleo']}`, role: 'owner' }]);
      expect((await ann!.get(`/v1/sessions/${id}`)).status).toBe(404);
      expect((await cleo!.get('/v1/sessions')).body.data).toMatchObject([{ id, userId: ids['cleo'] }]);
      expect((await cleo!.get('/v1/search?q=zebra')).body.data[0]).toMatchObject({ sessionId: id });
      expect((await ann!.get('/v1/search?q=zebra')).body.data).toEqual([]);
      expect((await cleo!.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true, rowMatches: true });
    });

    it('gives nothing to a fork, which belongs to the user who made it', async () => {
      const id = await ann!.session();
      await ann!.ask(id, 'hello');
      await grant(ann!, id, 'user:ben', 'editor');
      await grant(ann!, id, 'user:cleo', 'viewer');
      expect((await cleo!.post(`/v1/sessions/${id}/forks`, {})).body.code).toBe('forbidden');
      const fork = expectStatus(await ben!.post(`/v1/sessions/${id}/forks`, {}), 201).body.id;
      expect((await ben!.get(`/v1/sessions/${fork}/grants`)).body.data).toEqual([{ principal: `user:${ids['ben']}`, role: 'owner' }]);
      for (const other of [ann!, cleo!]) expect((await other.get(`/v1/sessions/${fork}`)).status).toBe(404);
    });

    it('loses its grants with its content', async () => {
      const id = await ann!.session();
      await ann!.ask(id, 'hello');
      await grant(ann!, id, 'user:ben', 'viewer');
      await grant(ann!, id, 'group:secret project', 'viewer');
      expectStatus(await ann!.call('DELETE', `/v1/sessions/${id}`), 202);
      expect((await ben!.get(`/v1/sessions/${id}`)).status).toBe(404);
      expect((await ben!.get('/v1/sessions?scope=shared&archived=true')).body.data).toEqual([]);
      expect(JSON.stringify((await ann!.get(`/v1/sessions/${id}/events`)).body)).not.toContain('secret project');
      expect((await grant(ann!, id, 'user:ben', 'viewer')).body.code).toBe('session_erased');
      expect((await ann!.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true, rowMatches: true });
    });
  });

  describe('an admin', () => {
    it('sees no conversation of others without emergency access, and its owner reads who, when and why', async () => {
      const id = await ann!.session({ title: 'salary', metadata: { folder: 'salaries' } });
      await ann!.ask(id, 'my salary');
      for (const path of ['', '/messages', '/events', '/export', '/requests', '/payload', '/queue', '/grants', '/accesses', '/audit']) {
        const [seen, unknown] = [await admin.get(`/v1/sessions/${id}${path}`), await admin.get(`/v1/sessions/${NOWHERE}${path}`)];
        expect([path, seen.status, seen.body.code]).toEqual([path, 403, 'forbidden']);
        expect(seen.body.detail).toContain('break-glass');
        expect([path, unknown.status, unknown.body.code]).toEqual([path, 404, 'session_not_found']);
      }
      expect((await admin.get('/v1/search?q=salary')).body.data).toEqual([]);
      const row = (await admin.get(`/v1/sessions?scope=tenant&user=${ids['ann']}`)).body.data.find((each: UnknownObject) => each.id === id);
      expect(row).toMatchObject({ title: null, firstText: null, lastText: null, folder: null });
      expect((await admin.get('/v1/sessions?scope=tenant&title=salary')).body.code).toBe('forbidden');
      expect((await ann!.get('/v1/sessions?scope=tenant')).body.code).toBe('forbidden');

      expect((await ben!.post(`/v1/sessions/${id}/break-glass`, { reason: 'curious' })).status).toBe(404);
      expect((await ann!.post(`/v1/sessions/${id}/break-glass`, { reason: 'mine' })).body.code).toBe('forbidden');
      const { until } = expectStatus(await admin.post(`/v1/sessions/${id}/break-glass`, { reason: 'ticket 17' }), 200).body;
      expect((await admin.get(`/v1/sessions/${id}/messages`)).status).toBe(200);
      expect((await admin.post(`/v1/sessions/${id}/prompts`, { input: 'x' })).status).toBe(403);

      const recorded = (await ann!.get(`/v1/sessions/${id}/accesses`)).body;
      const me = (await admin.get('/v1/me')).body.userId;
      expect(recorded.brokenGlass).toMatchObject([{ by: me, until, reason: 'ticket 17' }]);
      expect(recorded.data).toMatchObject([{ reader: `user:${me}`, via: 'break_glass' }]);
      const types = (await ann!.events(id)).map(({ type }: UnknownObject) => type);
      expect(types.filter((type: string) => type === 'glass.broken' || type === 'session.accessed')).toEqual(['glass.broken', 'session.accessed']);
    });

    it('audits, as an auditor, the structure of every session and no content', async () => {
      const auditor = admin.as(expectStatus(await admin.post('/v1/tokens', { userName: 'inspector', role: 'auditor' }), 201).body.token);
      const id = await ann!.session({ title: 'private title', system: 'private system' });
      await ann!.ask(id, 'private question');
      await ann!.ask(id, '{{fail 400}}');
      await grant(ann!, id, 'group:private group', 'viewer');
      const seen = expectStatus(await auditor.get(`/v1/sessions/${id}/structure?limit=500`), 200).body;
      expect(seen.data.map(({ type }: UnknownObject) => type)).toEqual((await ann!.events(id)).map(({ type }: UnknownObject) => type));
      const more = await Promise.all(['audit?proof=true', 'requests', 'erasures'].map((path) => auditor.get(`/v1/sessions/${id}/${path}`)));
      expect(JSON.stringify([seen, ...more.map((answer) => expectStatus(answer, 200).body)])).not.toContain('private');
      const messageOf = ({ body }: { readonly body: UnknownObject }): string => body.data.at(-1).error.message;
      expect(messageOf(more[1]!)).toBe('Shown only to readers of the session.');
      expect(messageOf(await ann!.get(`/v1/sessions/${id}/requests`))).toContain('failure with status 400');
      expect((await auditor.get(`/v1/sessions/${id}/messages`)).status).toBe(403);
      expectStatus(await auditor.post(`/v1/sessions/${id}/break-glass`, { reason: 'audit 9' }), 200);
      expect(JSON.stringify((await auditor.get(`/v1/sessions/${id}/messages`)).body)).toContain('private question');
    });

    it('holds and erases without reading', async () => {
      const id = await ann!.session({ title: 'to hold' });
      await ann!.ask(id, 'hello');
      const held = expectStatus(await admin.post(`/v1/sessions/${id}/hold`, { reason: 'case 1' }), 200);
      expect(JSON.stringify(held.body)).not.toContain('to hold');
      expect((await ann!.post(`/v1/sessions/${id}/hold`, {})).body.code).toBe('forbidden');
      expectStatus(await admin.call('DELETE', `/v1/sessions/${id}/hold`), 200);
      expectStatus(await admin.call('DELETE', `/v1/sessions/${id}`), 202);
    });
  });

  describe('a link', () => {
    const soon = (): string => new Date(Date.now() + 3_600_000).toISOString();

    it('shows one conversation up to its message: nothing after it, no other branch, nothing else', async () => {
      const id = await ann!.session({ title: 'the title' });
      await ann!.ask(id, 'first question');
      const [first] = await ann!.messages(id, 'view=transcript');
      await ann!.ask(id, 'abandoned question');
      expectStatus(await ann!.post(`/v1/sessions/${id}/rewinds`, { after: (await ann!.messages(id, 'view=transcript'))[1].uuid }), 201);
      await ann!.ask(id, 'second question');
      const at = (await ann!.messages(id, 'view=transcript'))[1].uuid;
      const made = expectStatus(await ann!.post(`/v1/sessions/${id}/links`, { role: 'viewer', expiresAt: soon(), at }), 201).body;
      const reader = admin.as(made.secret);
      await ann!.ask(id, 'third question');

      const seen = expectStatus(await reader.get('/v1/shared'), 200).body;
      expect(seen.data.map(({ uuid }: UnknownObject) => uuid)).toEqual([first.uuid, at]);
      expect(JSON.stringify(seen)).not.toMatch(/abandoned|second|third|the title/);
      const { paths } = (await ann!.get('/openapi.json')).body;
      for (const [path, item] of Object.entries<UnknownObject>(paths)) {
        for (const [method, operation] of Object.entries<UnknownObject>(item)) {
          if (operation['x-access'] === 'public' || operation['x-access'] === 'operator' || operation['x-access'] === 'link.read') continue;
          const answer = await reader.call(method.toUpperCase(), path.replace('{id}', id).replace(/\{\w+\}/g, 'user:ann'), method === 'get' ? undefined : {});
          expect([method, path, answer.status]).toEqual([method, path, 403]);
        }
      }
      expect((await ann!.get('/v1/shared')).status).toBe(403);

      expect((await ann!.get(`/v1/sessions/${id}/links`)).body.data).toMatchObject([{ id: made.id, at, role: 'viewer' }]);
      expect((await ann!.get(`/v1/sessions/${id}/links`)).body.data[0].uses).toBeGreaterThan(0);
      expect((await ann!.get(`/v1/sessions/${id}/accesses`)).body.data[0]).toMatchObject({ reader: `link:${made.id}`, via: 'link' });
      await grant(ann!, id, 'user:ben', 'editor');
      expect((await ben!.get(`/v1/sessions/${id}/links`)).body.code).toBe('forbidden');

      expectStatus(await ann!.call('DELETE', `/v1/sessions/${id}/links/${made.id}`), 204);
      expect((await reader.get('/v1/shared')).status).toBe(401);
      expect((await ann!.get(`/v1/sessions/${id}/links`)).body.data).toEqual([]);
    });

    it('gives the files of what it shows, not those that its texts name', async () => {
      const picture = { input: [image(PIXEL)] };
      const other = await ann!.session();
      await ann!.settled(other, (await ann!.post(`/v1/sessions/${other}/prompts`, picture)).body.turnId);
      const sha256 = /"sha256":"(\w{64})"/.exec(JSON.stringify(await ann!.messages(other)))![1]!;
      const id = await ann!.session();
      await ann!.ask(id, `the file ${sha256}`);
      const at = (await ann!.messages(id, 'view=transcript')).at(-1)!.uuid;
      await ann!.settled(id, (await ann!.post(`/v1/sessions/${id}/prompts`, picture)).body.turnId);
      const reader = async (upTo: object) =>
        admin.as(expectStatus(await ann!.post(`/v1/sessions/${id}/links`, { expiresAt: soon(), ...upTo }), 201).body.secret);
      expect((await (await reader({ at })).get(`/v1/shared/blobs/${sha256}`)).body.code).toBe('blob_not_found');
      expect((await (await reader({})).get(`/v1/shared/blobs/${sha256}`)).status).toBe(200);
    });

    it('is refused beyond its limits, and goes with the content', async () => {
      const id = await ann!.session();
      await ann!.ask(id, 'hello');
      const post = (body: object) => ann!.post(`/v1/sessions/${id}/links`, body);
      expect((await post({ expiresAt: new Date(Date.now() - 1_000).toISOString() })).body.code).toBe('invalid_input');
      expect((await post({ expiresAt: new Date(Date.now() + 91 * 86_400_000).toISOString() })).body.code).toBe('invalid_input');
      expect((await post({ expiresAt: soon(), at: NOWHERE })).body.code).toBe('message_not_found');
      const { secret } = expectStatus(await post({ expiresAt: soon() }), 201).body;
      for (let n = 1; n < 20; n += 1) expectStatus(await post({ expiresAt: soon() }), 201);
      expect((await post({ expiresAt: soon() })).body.code).toBe('limit_reached');
      expectStatus(await ann!.call('DELETE', `/v1/sessions/${id}`), 202);
      expect((await admin.as(secret).get('/v1/shared')).status).toBe(401);
      expect((await post({ expiresAt: soon() })).body.code).toBe('session_erased');
    });

    it('cannot be guessed: every wrong one is counted, and further ones are slowed', async () => {
      const edge = await startTestServer({ AUTH_FAILURES_PER_MINUTE: '20' }, server.database, admin.token);
      const statuses = [];
      for (let n = 0; n < 30; n += 1) statuses.push((await edge.client.as(`vbl_${'A'.repeat(41)}${n}`).get('/v1/shared')).status);
      expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(10).fill(429)]);
      await edge.stop();
    });
  });

  describe('a revocation', () => {
    const via = (at: TestServer, of: Client): Client => at.client.as(of.token);

    it('of a grant ends the open streams of that user, in every process, before what comes after', async () => {
      const id = await ann!.session();
      await ann!.ask(id, 'hello');
      await grant(ann!, id, 'user:ben', 'viewer');
      await grant(ann!, id, 'user:cleo', 'viewer');
      const streams = [await ben!.stream(id), await via(other, ben!).stream(id), await via(other, cleo!).stream(id)];
      for (const stream of streams) await stream.untilType('synced');
      const speaking = await streams[2]!.until(({ event }) => event === 'synced').then(() => ann!.ask(id, 'to all'));
      for (const stream of streams) await stream.until(({ data }) => data?.type === 'turn.completed' && data.data.turnId === speaking.turnId);
      expectStatus(await ann!.call('DELETE', `/v1/sessions/${id}/grants/user:ben`), 200);
      const after = await ann!.ask(id, 'not to ben');
      await streams[2]!.until(({ data }) => data?.type === 'turn.completed' && data.data.turnId === after.turnId);
      for (const stream of streams.slice(0, 2)) {
        await stream.ended;
        expect(JSON.stringify(stream.events)).not.toContain('not to ben');
      }
      // The other process may find it by its check first.
      expect(streams[0]!.events.at(-1)).toMatchObject({ event: 'session.grant_revoked' });
      await expect(ben!.stream(id)).rejects.toThrow('404');
      streams[2]!.close();
    });

    it('of a token ends its streams, in every process', async () => {
      const id = await ann!.session();
      const made = expectStatus(await ann!.post('/v1/tokens', { name: 'phone' }), 201).body;
      const phone = ann!.as(made.token);
      const streams = [await phone.stream(id), await via(other, phone).stream(id), await phone.streamAll()];
      for (const stream of streams) await stream.until(({ event }) => event.endsWith('synced'));
      expectStatus(await ann!.call('DELETE', `/v1/tokens/${made.id}`), 204);
      for (const stream of streams) await stream.ended;
    });

    it('without any notice ends streams all the same', async () => {
      const id = await ann!.session();
      const made = expectStatus(await ann!.post('/v1/tokens', { name: 'tablet' }), 201).body;
      const tablet = await via(other, ann!.as(made.token)).stream(id);
      await tablet.untilType('synced');
      await withConnection(server.database.ownerUrl, 60_000, (database) =>
        database.query('UPDATE api_token SET revoked_at = now() WHERE token_id = $1', [made.id]),
      );
      await tablet.ended;
    });
  });

  describe('the access log', () => {
    it('has one entry for all reads by one reader in an hour, and none of an owner', async () => {
      const id = await ann!.session();
      await ann!.ask(id, 'hello');
      await grant(ann!, id, 'user:ben', 'viewer');
      await Promise.all(['', '/messages', '/events', '/export', '/payload'].map((path) => ben!.get(`/v1/sessions/${id}${path}`)));
      await ann!.get(`/v1/sessions/${id}/messages`);
      // Through the transport for chats as well, which is the only way that this user takes.
      const dora = await user('dora');
      await grant(ann!, id, 'user:dora', 'viewer');
      expectStatus(await dora.get(`/v1/ui/chat/${id}`), 200);
      // Nothing is recorded of those who got nothing.
      await cleo!.get(`/v1/sessions/${id}/messages`);
      const entries = (await ann!.get(`/v1/sessions/${id}/accesses`)).body.data;
      expect(new Set(entries.map(({ reader, via }: UnknownObject) => `${reader} ${via}`))).toEqual(
        new Set([`user:${ids['ben']} grant`, `user:${ids['dora']} grant`]),
      );
      expect(entries.length).toBeLessThanOrEqual(4); // the test may pass the end of an hour
      expect((await ben!.get(`/v1/sessions/${id}/accesses`)).body.code).toBe('forbidden');
    });
  });
});
