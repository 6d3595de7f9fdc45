import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client, UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

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
