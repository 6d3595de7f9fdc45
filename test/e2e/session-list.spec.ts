import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('the list and the search of sessions', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ PINS_PER_USER: '3' });
  });
  afterAll(() => server.stop());

  const list = async (client: Client, query = ''): Promise<readonly UnknownObject[]> => expectStatus(await client.get(`/v1/sessions?${query}`), 200).body.data;
  const search = async (client: Client, q: string): Promise<readonly UnknownObject[]> =>
    expectStatus(await client.get(`/v1/search?q=${encodeURIComponent(q)}`), 200).body.data;
  const found = async (client: Client, q: string): Promise<readonly unknown[]> => (await search(client, q)).map(({ kind, snippet }) => [kind, snippet.text]);
  const say = (text: string): string => `{{say ${text}}}`;
  const memberOf = async (admin: Client, userName: string): Promise<Client> => admin.as((await admin.post('/v1/tokens', { userName })).body.token);

  it('rows show what a conversation contains, also after rewinds, restores and in forks', async () => {
    const client = await server.tenant('rows');
    const id = await client.session({ title: 'Rows' });
    const row = async (): Promise<UnknownObject> => (await list(client)).find((item) => item.id === id);
    expect(await row()).toMatchObject({ title: 'Rows', archived: false, messageCount: 0, firstText: null, lastText: null, usage: { requests: 0 } });
    await client.ask(id, 'First   question\nof two');
    await client.ask(id, say('the second answer'));
    for (const [folder, shown] of [
      ['Letters', 'Letters'],
      ['x'.repeat(200), 'x'.repeat(200)],
      ['x'.repeat(201), null],
      [5, null],
    ]) {
      expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { metadata: { folder } }), 200);
      expect((await row()).folder).toBe(shown);
    }
    const session = (await client.get(`/v1/sessions/${id}`)).body;
    expect(await row()).toMatchObject({
      version: session.version,
      messageCount: 4,
      firstText: 'First question of two',
      lastText: 'the second answer',
      usage: session.usage,
    });
    const [first, , second] = await client.messages(id);
    const rewind = (await client.post(`/v1/sessions/${id}/rewinds`, { before: second.uuid })).body;
    expect(await row()).toMatchObject({ messageCount: 2, firstText: 'First question of two' });
    expect((await row()).lastText).toContain('First question');
    await client.post(`/v1/sessions/${id}/rewinds/${rewind.id}/restore`);
    expect(await row()).toMatchObject({ messageCount: 4, lastText: 'the second answer' });
    const edit = (await client.prompt(id, say('edited'), { replaces: first.uuid })).body;
    await client.settled(id, edit.turnId);
    expect(await row()).toMatchObject({ messageCount: 2, firstText: say('edited'), lastText: 'edited' });
    const fork = (await client.post(`/v1/sessions/${id}/forks`)).body.id;
    expect((await list(client)).find((item) => item.id === fork)).toMatchObject({ messageCount: 2, firstText: say('edited'), lastText: 'edited' });
  });

  it('filters by user, status, archive, model, metadata, title and time, page by page', async () => {
    const admin = await server.tenant('filters');
    const member = await memberOf(admin, 'a member');
    const { userId } = (await member.get('/v1/me')).body;
    const tagged = await admin.session({
      title: 'Cooking with Gas',
      metadata: { project: 'kitchen', tags: ['a', 'b'], odd: '\u0000\ud83d', '\u0000\ud83d': { '\u0001': 1 } },
    });
    const other = await admin.session({ title: 'Sailing', model: 'claude-other' });
    const own = await member.session();
    const closed = await admin.session();
    await admin.post(`/v1/sessions/${closed}/close`);
    const ids = async (query: string, client = admin): Promise<readonly unknown[]> => (await list(client, query)).map(({ id }) => id);

    expect(await ids('')).toEqual([closed, other, tagged]);
    expect(await ids('scope=tenant')).toEqual([closed, own, other, tagged]);
    expect(await ids(`scope=tenant&user=${userId}`)).toEqual([own]);
    expect(await ids(`scope=tenant&user=${randomUUID()}`)).toEqual([]);
    expect(await ids('', member)).toEqual([own]);
    expect(await ids(`user=${(await admin.get('/v1/me')).body.userId}`, member)).toEqual([]);
    expect(await ids('status=closed')).toEqual([closed]);
    expect(await ids('status=running')).toEqual([]);
    expect(await ids('model=claude-other')).toEqual([other]);
    expect(await ids(`metadata=${encodeURIComponent('{"project":"kitchen","tags":["b"]}')}`)).toEqual([tagged]);
    expect(await ids(`metadata=${encodeURIComponent('{"project":"other"}')}`)).toEqual([]);
    expect(await ids('title=cooking')).toEqual([tagged]);
    expect(await ids('title=gas%20-sailing')).toEqual([tagged]);
    const { updatedAt } = (await list(admin)).find(({ id }) => id === other)!;
    expect(await ids(`updatedAfter=${updatedAt}`)).toEqual([closed, other]);
    expect(await ids(`updatedBefore=${encodeURIComponent('2020-01-01T00:00:00+02:00')}`)).toEqual([]);

    expectStatus(await admin.call('PATCH', `/v1/sessions/${other}`, { archived: true }), 200);
    expect((await admin.get(`/v1/sessions/${other}`)).body.archived).toBe(true);
    expect(await ids('')).toEqual([closed, tagged]);
    expect((await list(admin, 'archived=true')).map(({ id, archived }) => [id, archived])).toEqual([[other, true]]);
    expectStatus(await admin.call('PATCH', `/v1/sessions/${other}`, { archived: false }), 200);
    expect(await ids('archived=true')).toEqual([]);
    expectStatus(await admin.call('PATCH', `/v1/sessions/${other}`, { title: 'Rowing' }), 200);
    expect([await ids('title=sailing'), await ids('title=rowing')]).toEqual([[], [other]]);

    const pages: unknown[] = [];
    for (let cursor = ''; ;) {
      const { body } = expectStatus(await admin.get(`/v1/sessions?limit=1&status=idle${cursor}`), 200);
      pages.push(...body.data.map(({ id }: UnknownObject) => id));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(pages).toEqual([other, tagged]);
  });

  it('lists what a user has pinned, for that user alone, while the user may read it', async () => {
    const admin = await server.tenant('pins');
    const member = await memberOf(admin, 'pins of a member');
    const { userId } = (await member.get('/v1/me')).body;
    const [one, other] = [await admin.session({ title: 'One' }), await admin.session({ title: 'Other' })];
    const pinned = async (client: Client, query = ''): Promise<readonly unknown[]> => (await list(client, `pinned=true&${query}`)).map(({ id }) => id);
    const pin = (client: Client, id: string) => client.call('PUT', `/v1/sessions/${id}/pin`);
    const unpin = (client: Client, id: string) => client.call('DELETE', `/v1/sessions/${id}/pin`);

    expectStatus(await pin(admin, one), 204);
    expectStatus(await pin(admin, one), 204);
    expect(await pinned(admin)).toEqual([one]);
    expect((await list(admin)).length).toBe(2);
    expectStatus(await pin(member, one), 404);
    expectStatus(await admin.call('PUT', `/v1/sessions/${one}/grants/user:${userId}`, { role: 'viewer' }), 200);
    expectStatus(await pin(member, one), 204);
    expect([await pinned(member), await pinned(member, 'scope=shared'), await pinned(admin)]).toEqual([[], [one], [one]]);
    const { version } = (await admin.get(`/v1/sessions/${one}`)).body;
    expectStatus(await unpin(admin, one), 204);
    expectStatus(await unpin(admin, other), 204);
    expect([await pinned(admin), await pinned(member, 'scope=shared')]).toEqual([[], [one]]);
    // A pin is no event of the session.
    expect((await admin.get(`/v1/sessions/${one}`)).body.version).toBe(version);
    expectStatus(await admin.call('DELETE', `/v1/sessions/${one}/grants/user:${userId}`), 200);
    expect(await pinned(member, 'scope=shared')).toEqual([]);
    expectStatus(await unpin(member, one), 204);
  });

  it('pins no more sessions than the limit', async () => {
    const client = await server.tenant('most pins');
    const ids = [await client.session(), await client.session(), await client.session(), await client.session()];
    const answers = [];
    for (const id of [...ids.slice(0, 3), ids[0]!, ids[3]!]) answers.push((await client.call('PUT', `/v1/sessions/${id}/pin`)).status);
    expect(answers).toEqual([204, 204, 204, 204, 429]);
    expectStatus(await client.call('DELETE', `/v1/sessions/${ids[0]}/pin`), 204);
    expectStatus(await client.call('PUT', `/v1/sessions/${ids[3]}/pin`), 204);
  });

  it('rejects forged cursors and malformed filters by name', async () => {
    const client = await server.tenant('forgers');
    const texts = ['one word', 'one more word'];
    for (const title of texts) await client.session({ title });
    const { nextCursor } = (await client.get('/v1/sessions?limit=1')).body;
    const forged = Buffer.from(
      Buffer.from(nextCursor, 'base64url')
        .toString()
        .replace(/^\d{4}/, '1999'),
    ).toString('base64url');
    const foreign = await server.tenant('foreign');
    const hits = (await client.get('/v1/search?q=word&limit=1')).body;
    const bad = [
      client.get(`/v1/sessions?cursor=${forged}`),
      client.get(`/v1/sessions?status=idle&cursor=${nextCursor}`),
      foreign.get(`/v1/sessions?cursor=${nextCursor}`),
      client.get(`/v1/search?q=word&cursor=${nextCursor}`),
      client.get(`/v1/search?q=other&cursor=${hits.nextCursor}`),
      client.get('/v1/search?q=word&cursor=x'),
      client.get('/v1/users?cursor=x'),
    ];
    for (const { status, body } of await Promise.all(bad))
      expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([400, 'invalid_input', expect.stringContaining('cursor')]);
    const malformed = [
      `/v1/search?q=${'x'.repeat(10_000)}`,
      '/v1/search?q=',
      '/v1/search',
      '/v1/search?q=%00',
      '/v1/search?q=a&limit=101',
      '/v1/sessions?metadata=x',
      '/v1/sessions?metadata=[]',
      `/v1/sessions?metadata=${encodeURIComponent('{"a":"\\u0000"}')}`,
      '/v1/sessions?updatedAfter=yesterday',
      '/v1/sessions?updatedAfter=0000-01-01T00:00:00Z',
      '/v1/sessions?status=importing',
      '/v1/sessions?archived=maybe',
      '/v1/sessions?user=me',
      '/v1/sessions?colour=red',
    ];
    for (const path of malformed) expect([path.slice(0, 60), (await client.get(path)).body.code]).toEqual([path.slice(0, 60), 'invalid_input']);
  });

  it('search finds titles and what people and the model wrote, and nothing else', async () => {
    const client = await server.tenant('searching');
    const id = await client.session({ title: 'Zebra crossing', system: 'secretword in the system prompt' });
    await client.ask(id, `About marmots: ${say('They whistle <b>loudly</b> 🧵 when eagles come')}`);
    await client.ask(id, `hidden badger ${say('seen')}`, { isMeta: true });
    expect(await found(client, 'zebra')).toEqual([['title', 'Zebra crossing']]);
    const [answer] = await search(client, 'eagles');
    expect(answer).toMatchObject({ sessionId: id, title: 'Zebra crossing', archived: false });
    const [hit, ...more] = (await search(client, '"when eagles"')).filter(({ kind }) => kind === 'assistant');
    expect(more).toEqual([]);
    expect(hit.snippet.text).toBe('They whistle <b>loudly</b> 🧵 when eagles come');
    expect(hit.snippet.highlights.map(({ start, length }: UnknownObject) => hit.snippet.text.slice(start, start + length)).join(' ')).toBe('when eagles');
    expect((await client.messages(id)).some(({ uuid }) => uuid === hit.uuid)).toBe(true);
    for (const nothing of ['secretword', 'badger', 'nowhere', '!!!', '-zebra', 'marmots -whistle'])
      expect([nothing, (await search(client, nothing)).length]).toEqual([nothing, nothing === '-zebra' ? 3 : 0]);
    await client.ask(id, 'What is Map<Gopher, Vole> here?');
    expect((await search(client, 'gopher vole'))[0].snippet.text).toContain('Map<Gopher, Vole>');
    await client.call('PATCH', `/v1/sessions/${id}`, { title: null });
    expect(await search(client, 'zebra')).toEqual([]);
    await client.ask(id, 'odd \u0000 \ud83d \u0002quagga\u0003 text');
    expect((await search(client, 'quagga')).length).toBeGreaterThan(0);
  });

  it('search respects rights, rewinds and restores', async () => {
    const admin = await server.tenant('rights');
    const [one, two] = [await memberOf(admin, 'one'), await memberOf(admin, 'two')];
    const stranger = await server.tenant('elsewhere');
    const id = await one.session();
    await one.ask(id, say('pangolin'));
    expect((await search(one, 'pangolin')).map(({ kind }) => kind)).toEqual(['assistant', 'user']);
    expect(await search(admin, 'pangolin')).toEqual([]);
    expect(await search(two, 'pangolin')).toEqual([]);
    expect(await search(stranger, 'pangolin')).toEqual([]);
    const { userId } = (await one.get('/v1/me')).body;
    expect(await search(two, `pangolin or u${userId}`)).toEqual([]);
    const [prompt] = await one.messages(id);
    const rewind = (await one.post(`/v1/sessions/${id}/rewinds`, { before: prompt.uuid })).body;
    expect(await search(one, 'pangolin')).toEqual([]);
    await one.post(`/v1/sessions/${id}/rewinds/${rewind.id}/restore`);
    expect(await search(one, 'pangolin')).toHaveLength(2);
    const pages: unknown[] = [];
    for (let cursor = ''; ;) {
      const { body } = expectStatus(await one.get(`/v1/search?q=pangolin&limit=1${cursor}`), 200);
      pages.push(...body.data.map(({ kind }: UnknownObject) => kind));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(pages).toEqual(['assistant', 'user']);
  });

  it('an imported conversation is listed and found', async () => {
    const client = await server.tenant('imports');
    const file = JSON.stringify({
      type: 'user',
      uuid: randomUUID(),
      parentUuid: null,
      timestamp: '2026-01-01T00:00:00Z',
      message: { role: 'user', content: 'an axolotl' },
    });
    const made = expectStatus(await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' }), 201).body;
    expect((await list(client)).map(({ id, messageCount, firstText }) => [id, messageCount, firstText])).toEqual([[made.id, 1, 'an axolotl']]);
    expect(await found(client, 'axolotl')).toEqual([['user', 'an axolotl']]);
  });

  it('of an imported session only the active branch is counted, shown and found', async () => {
    const client = await server.tenant('imported branches');
    const line = (uuid: string, parentUuid: string | null, content: string): string =>
      JSON.stringify({ type: 'user', uuid, parentUuid, timestamp: '2026-01-01T00:00:00Z', message: { role: 'user', content } });
    const [root, left, taken] = [randomUUID(), randomUUID(), randomUUID()];
    const file = [line(root, null, 'a wombat'), line(left, root, 'an old numbat'), line(taken, root, 'a new quokka')].join('\n');
    expectStatus(await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' }), 201);
    expect((await list(client)).map(({ messageCount, firstText, lastText }) => [messageCount, firstText, lastText])).toEqual([[2, 'a wombat', 'a new quokka']]);
    expect([await found(client, 'numbat'), await found(client, 'quokka')]).toEqual([[], [['user', 'a new quokka']]]);
  });

  it('lists users for admins', async () => {
    const admin = await server.tenant('users');
    const member = await memberOf(admin, 'a member');
    const id = await member.session();
    const { updatedAt } = (await member.get(`/v1/sessions/${id}`)).body;
    const users = expectStatus(await admin.get('/v1/users'), 200).body.data;
    expect(users.map(({ name, sessions, lastActiveAt }: UnknownObject) => [name, sessions, lastActiveAt]).toSorted()).toEqual([
      ['a member', 1, updatedAt],
      ['admin', 0, null],
    ]);
    const first = (await admin.get('/v1/users?limit=1')).body;
    const second = (await admin.get(`/v1/users?limit=1&cursor=${first.nextCursor}`)).body;
    expect([...first.data, ...second.data]).toEqual(users);
    expect(second.nextCursor).toBeNull();
    expect((await member.get('/v1/users')).body.code).toBe('forbidden');
  });
});
