import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('usage and quotas', () => {
  let server: TestServer;
  let client: Client;
  let tenants = 0;

  beforeAll(async () => {
    server = await startTestServer({ MODEL: 'claude-opus-5', MODEL_PRICES: '{"claude-opus-5":{"input":1000,"output":10000}}' });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    tenants += 1;
    client = await server.tenant(`tenant ${tenants}`);
  });

  const report = async (query: string, of = client): Promise<UnknownObject> => expectStatus(await of.get(`/v1/usage${query}`), 200).body;
  const member = async (name: string): Promise<Client> => client.as((await client.post('/v1/tokens', { userName: name })).body.token);
  const quotas = async (given: object): Promise<unknown> => expectStatus(await client.call('PATCH', '/v1/settings', { quotas: given }), 200);
  const idOf = async (of: Client): Promise<string> => (await of.get('/v1/me')).body.userId;

  it('are counted with the append, by who asked, the model, the session and the day, with their price', async () => {
    const ann = await member('ann');
    const [one, two] = [await ann.session(), await client.session()];
    await ann.ask(one, '{{say hello}}');
    await client.ask(two, '{{say hello}}');
    await client.ask(two, '{{say hello}}');
    const users = await report('?groupBy=user');
    expect(users.data.map(({ key, prompts, requests }: UnknownObject) => [key, prompts, requests])).toEqual([
      [await idOf(client), 2, 2],
      [await idOf(ann), 1, 1],
    ]);
    const [mine] = users.data;
    expect(mine.cost).toBeCloseTo(
      (mine.inputTokens * 1_000 + mine.outputTokens * 10_000 + mine.cacheReadTokens * 100 + mine.cacheCreationTokens * 1_250) / 1e6,
      8,
    );
    expect((await report('?groupBy=model')).data.map(({ key }: UnknownObject) => key)).toEqual(['claude-opus-5']);
    const sessions = await report('?groupBy=session');
    expect(sessions.data.map(({ key, prompts }: UnknownObject) => [key, prompts]).sort()).toEqual(
      [
        [one, 1],
        [two, 2],
      ].sort(),
    );
    const shown = (await client.get(`/v1/sessions/${two}`)).body.usage;
    expect(sessions.data.find(({ key }: UnknownObject) => key === two)).toMatchObject({ inputTokens: shown.inputTokens, outputTokens: shown.outputTokens });
    // Each request says its part of it.
    const sent = (await client.get(`/v1/sessions/${two}/requests`)).body.data as readonly UnknownObject[];
    const ofTwo = sessions.data.find(({ key }: UnknownObject) => key === two).cost;
    expect(sent.length).toBe(2);
    expect(sent.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(ofTwo, 8);
    const first = (await client.get(`/v1/sessions/${two}/requests/${sent[0]!.requestId}`)).body;
    expect(first.cost).toBe(sent[0]!.cost);
    // Two days, when midnight passes meanwhile.
    const days = (await report('')).data as readonly UnknownObject[];
    const ofPrompts = (await client.events(two))
      .filter(({ type }: UnknownObject) => type === 'prompt.submitted')
      .map(({ time }: UnknownObject) => time.slice(0, 10));
    expect(days.map(({ key }) => key)).toEqual(expect.arrayContaining(ofPrompts));
    expect(days.reduce((sum, { prompts }) => sum + prompts, 0)).toBe(3);
    const both = await report('?groupBy=dayAndModel');
    expect(both).toMatchObject({ groupBy: 'dayAndModel', total: { prompts: 3 }, hasMore: false });
    expect(both.data).toEqual(days.map((day) => ({ ...day, model: 'claude-opus-5' })));
    expect(await report(`?user=${await idOf(ann)}&groupBy=day`)).toMatchObject({ total: { prompts: 1 } });
    expect(await report('?groupBy=user&limit=1')).toMatchObject({ data: [{ prompts: 2 }], total: { prompts: 3 }, hasMore: true });
    expect(await report('?from=2020-01-01&to=2020-01-31')).toMatchObject({ data: [], total: { prompts: 0, cost: 0 }, hasMore: false });
    for (const bad of ['?from=2024-02-01&to=2024-01-01', '?from=2020-01-01&to=2024-01-01', '?groupBy=city', '?from=yesterday']) {
      expect((await client.get(`/v1/usage${bad}`)).body.code).toBe('invalid_input');
    }
    expect((await ann.get('/v1/usage')).body.code).toBe('forbidden');
    const other = await server.tenant(`other ${tenants}`);
    expect((await report('', other)).total.prompts).toBe(0);
  });

  it('are shown by day and model, the days in their order and of one day the most expensive model first', async () => {
    const one = await client.session();
    await client.ask(one, '{{say hello}}');
    await client.ask(one, '{{say hello}}');
    const cheap = (await client.post('/v1/sessions', { model: 'claude-haiku-4-5' })).body.id;
    await client.ask(cheap, '{{say hello}}');
    const { data, total } = await report('?groupBy=dayAndModel');
    const days: readonly string[] = data.map(({ key }: UnknownObject) => key);
    expect(days).toEqual(days.toSorted());
    expect([...new Set(data.map(({ model }: UnknownObject) => model))].sort()).toEqual(['claude-haiku-4-5', 'claude-opus-5']);
    for (const day of days) {
      const costs = data.flatMap(({ key, cost }: UnknownObject) => (key === day ? [cost] : []));
      expect(costs).toEqual(costs.toSorted((a: number, b: number) => b - a));
    }
    for (const member of ['prompts', 'requests', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'])
      expect([member, data.reduce((sum: number, entry: UnknownObject) => sum + entry[member], 0)]).toEqual([member, total[member]]);
    expect(await report('?groupBy=dayAndModel&limit=1')).toMatchObject({ data: [data[0]], total, hasMore: data.length > 1 });
  });

  it('count a repeated prompt once, and stay when the content is erased', async () => {
    const id = await client.session();
    const key = freshKey();
    const { turnId } = (await client.post(`/v1/sessions/${id}/prompts`, { input: 'hi' }, key)).body;
    await client.post(`/v1/sessions/${id}/prompts`, { input: 'hi' }, key);
    await client.settled(id, turnId);
    const before = await report('');
    expect(before.total).toMatchObject({ prompts: 1, requests: 1 });
    expect((await client.call('DELETE', `/v1/sessions/${id}`)).status).toBeLessThan(300);
    expect((await report('')).total).toEqual(before.total);
  });

  it('limit the prompts of a user and of the tenant, exactly within one process, with the time of the renewal', async () => {
    const ann = await member('ann');
    await quotas({ tenant: { promptsPerDay: 4 }, user: { promptsPerDay: 3 }, users: { [await idOf(client)]: {} } });
    const id = await ann.session();
    const key = freshKey();
    const answers = [
      await ann.post(`/v1/sessions/${id}/prompts`, { input: 'a' }, key),
      ...(await Promise.all(['b', 'c', 'd', 'e'].map((input) => ann.prompt(id, input)))),
    ];
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429]);
    const { body, headers } = answers.find(({ status }) => status === 429)!;
    expect(body).toMatchObject({
      code: 'quota_exceeded',
      quota: 'promptsPerDay',
      scope: 'user',
      limit: 3,
      used: 3,
      resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
    });
    expect(Number(headers.get('retry-after'))).toBe(body.retryAfter);
    expect(Math.abs(Date.parse(body.resetsAt) - Date.now() - body.retryAfter * 1_000)).toBeLessThan(60_000);
    // What was accepted stays accepted.
    expect(await ann.post(`/v1/sessions/${id}/prompts`, { input: 'a' }, key)).toMatchObject({ status: 202, body: { promptId: answers[0]!.body.promptId } });
    expect((await ann.get('/v1/quotas')).body.data).toEqual([{ scope: 'user', quota: 'promptsPerDay', limit: 3, used: 3 }]);
    const own = await client.session();
    expect((await client.prompt(own, 'a')).status).toBe(202);
    expect((await client.prompt(own, 'b')).body).toMatchObject({ code: 'quota_exceeded', scope: 'tenant', limit: 4 });
    expect((await client.get('/v1/quotas')).body.data).toEqual([{ scope: 'tenant', quota: 'promptsPerDay', limit: 4, used: 4 }]);
    await quotas({});
    expect((await client.prompt(own, 'b')).status).toBe(202);
  });

  it('limit tokens and money, as far as they are known when a prompt is accepted', async () => {
    const id = await client.session();
    await client.ask(id, '{{say hello}}');
    const { total } = await report('');
    expect(total.cost).toBeGreaterThan(0);
    await quotas({ user: { tokensPerDay: 1 } });
    expect((await client.prompt(id, 'x')).body).toMatchObject({
      quota: 'tokensPerDay',
      used: total.inputTokens + total.outputTokens + total.cacheCreationTokens,
    });
    await quotas({ tenant: { dollarsPerDay: total.cost / 2 } });
    expect((await client.prompt(id, 'x')).body).toMatchObject({ quota: 'dollarsPerDay', scope: 'tenant' });
    await quotas({ tenant: { dollarsPerDay: total.cost * 100 } });
    expect((await client.prompt(id, 'x')).status).toBe(202);
  });

  it('limit single tokens and each session, whoever prompts, and the models of a token', async () => {
    const keys = await Promise.all([0, 1].map(async () => expectStatus(await client.post('/v1/tokens', {}), 201).body));
    const [one, other] = keys.map(({ token }) => client.as(token)) as [Client, Client];
    const [limitedId, restrictedId] = keys.map(({ id }) => id as string) as [string, string];
    await quotas({ tokens: { [limitedId]: { promptsPerDay: 1 } }, session: { promptsPerDay: 3 } });
    expectStatus(await client.call('PATCH', '/v1/settings', { models: { tokens: { [restrictedId]: ['claude-haiku-*'] } } }), 200);
    const id = await one.session();
    await one.ask(id, '{{say one}}');
    expect((await one.prompt(id, 'two')).body).toMatchObject({ code: 'quota_exceeded', scope: 'token', limit: 1, used: 1 });
    // The turn of a token whose models do not have that of the session fails, and says why.
    expect(await other.ask(id, 'not allowed')).toMatchObject({ status: 'failed', error: { code: 'model_not_allowed' } });
    await client.ask(id, '{{say three}}');
    expect((await client.prompt(id, 'four')).body).toMatchObject({ code: 'quota_exceeded', scope: 'session', limit: 3, used: 3 });
    await client.ask(await client.session(), '{{say elsewhere}}');
    expect((await one.get('/v1/quotas')).body.data).toEqual([{ scope: 'token', quota: 'promptsPerDay', limit: 1, used: 1 }]);
    for (const by of [one, other])
      expect((await by.post('/v1/tokens', {})).body).toMatchObject({ code: 'forbidden', detail: expect.stringContaining('limits of its own') });
    // In the log stands which token it was, where it has limits.
    const submitted = (await client.events(id)).filter(({ type }) => type === 'prompt.submitted').map(({ data }) => data.submission.tokenId);
    expect(submitted).toEqual([limitedId, restrictedId, undefined]);
  });

  it('limit sessions and storage', async () => {
    await quotas({ user: { sessions: 2 } });
    const ids = [await client.session(), await client.session()];
    const full = await client.post('/v1/sessions');
    expect(full.body).toMatchObject({ code: 'quota_exceeded', quota: 'sessions', limit: 2, used: 2 });
    expect([full.body.resetsAt, full.headers.get('retry-after')]).toEqual([undefined, null]);
    expect((await client.post(`/v1/sessions/${ids[0]}/forks`)).body.code).toBe('quota_exceeded');
    expect((await client.post('/v1/ui/chat', { id: 'new', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] }] })).body.code).toBe(
      'quota_exceeded',
    );
    await quotas({ user: { storageBytes: 0 } });
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };
    expect((await client.prompt(ids[0]!, [image])).body).toMatchObject({ code: 'quota_exceeded', quota: 'storageBytes', limit: 0 });
    expect((await client.prompt(ids[0]!, 'text only')).status).toBe(202);
  });
});
