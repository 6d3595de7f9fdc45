import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf } from '../../src/engine/model/offline/script.js';
import { Signer } from '../../src/engine/model/offline/signature.js';
import type { Client, UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Fault, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { until } from '../support/until.js';

describe('titles by the model', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer({ TITLES: 'first-turn', TITLE_MODEL: 'claude-haiku-5-5' });
    client = server.client;
  });
  afterAll(() => server.stop());

  it('are made once, after the first completed turn, by their own model', async () => {
    const id = await client.session();
    const stream = await client.stream(id);
    await client.ask(id, 'How do I whistle {{say Like this.}}');
    const titled = await stream.untilType('session.titled');
    stream.close();
    expect(titled.data).toMatchObject({ actor: { kind: 'system' }, data: { title: expect.stringMatching(/^How do I whistle/), model: 'claude-haiku-5-5' } });
    const { title } = titled.data.data;
    expect((await client.get(`/v1/sessions/${id}`)).body.title).toBe(title);
    const found = (await client.get('/v1/search?q=whistle')).body.data;
    expect(found.filter(({ kind }: UnknownObject) => kind === 'title').map(({ sessionId }: UnknownObject) => sessionId)).toEqual([id]);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true, rowMatches: true });
    expect((await client.get(`/v1/sessions/${id}/requests`)).body.data).toHaveLength(1);
  });

  it('never replace what a person decided', async () => {
    const [own, cleared, renamed] = [await client.session({ title: 'Mine' }), await client.session(), await client.session()];
    await client.call('PATCH', `/v1/sessions/${cleared}`, { title: null });
    await client.ask(own, 'one');
    await client.ask(cleared, 'two');
    // Made after them, so that theirs would have been made as well.
    const stream = await client.stream(renamed);
    await client.ask(renamed, 'three');
    await stream.untilType('session.titled');
    stream.close();
    await client.call('PATCH', `/v1/sessions/${renamed}`, { title: 'Renamed' });
    await client.ask(renamed, 'four');
    const titles = await Promise.all([own, cleared, renamed].map(async (id) => (await client.get(`/v1/sessions/${id}`)).body.title));
    expect(titles).toEqual(['Mine', null, 'Renamed']);
    const events = await client.events(renamed);
    expect(events.filter(({ type }) => type === 'session.titled')).toHaveLength(1);
  });
});

describe('a title that the model does not give', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    api = await startStandIn({ apiKey: 'test-key' });
    server = await startTestServer({ ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: api.url, TITLES: 'first-turn', TITLE_MODEL: 'claude-haiku-5-5' });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  const failures = async (): Promise<number> => {
    const { body } = await client.get<string>('/metrics');
    return Number(/^verbatim_titles_total\{[^}]*outcome="failed"[^}]*\} (\d+)/m.exec(body)?.[1] ?? 0);
  };
  const answering = (...words: readonly string[]): Fault => ({
    kind: 'events',
    events: eventsOf({
      ...{ id: 'msg_01title', model: 'claude-haiku-5-5', blocks: [{ type: 'text', words }], stopReason: 'end_turn' },
      ...{ inputTokens: 9, signer: new Signer({}) },
    }),
  });

  it.each<readonly [string, Fault]>([
    ['rejects the request', { kind: 'error-response', status: 400, type: 'invalid_request_error', message: 'no' }],
    ['is overloaded', { kind: 'error-response', status: 529, type: 'overloaded_error', message: 'busy' }],
    ['breaks off', { kind: 'cut', after: 1 }],
    ['sends something else than events', { kind: 'garbage', after: 1 }],
    ['answers with a page', { kind: 'page', status: 200, contentType: 'text/html', text: '<p>Sign in</p>' }],
    ['answers with nothing', answering('   ', '\n', '"**"')],
  ])('leaves the turn and the session as they are when it %s, and is asked once', async (_, fault) => {
    const before = await failures();
    const id = await client.session();
    const asked = api.received.length;
    api.next({ kind: 'bytes' }, fault);
    expect(await client.ask(id, 'How do I whistle')).toMatchObject({ status: 'completed' });
    await until('the title has failed', async () => (await failures()) > before);
    expect(await client.ask(id, 'And now?')).toMatchObject({ status: 'completed' });
    expect((await client.get(`/v1/sessions/${id}`)).body).toMatchObject({ status: 'idle', title: null });
    expect(api.received.slice(asked).map(({ body }) => JSON.parse(body).model)).toEqual(['claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-sonnet-5-5']);
    expect(await failures()).toBe(before + 1);
  });

  it('cuts a title that is a whole essay to its first line, at most 100 characters', async () => {
    const id = await client.session();
    const stream = await client.stream(id);
    api.next({ kind: 'bytes' }, answering('"', 'whistle '.repeat(500), '\nSecond line'));
    await client.ask(id, 'How do I whistle');
    const { title } = (await stream.untilType('session.titled')).data.data;
    stream.close();
    expect(title).toMatch(/^whistle whistle/);
    expect(title.length).toBeLessThanOrEqual(100);
    expect(title).not.toContain('Second');
  });
});
