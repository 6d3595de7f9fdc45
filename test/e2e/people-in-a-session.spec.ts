import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('several people in one session', () => {
  let server: TestServer;
  let second: TestServer;
  let ann: Client;
  /** In another process. */
  let bob: Client;
  let id: string;

  beforeAll(async () => {
    server = await startTestServer({ SPEAKER_NAMES: 'true', PRESENCE_MS: '20000' });
    ann = server.client;
    second = await startTestServer({ SPEAKER_NAMES: 'true' }, server.database, ann.token);
    const { token, userId } = (await ann.post('/v1/tokens', { userName: 'Bob: of\nSales' })).body;
    bob = second.client.as(token);
    id = await ann.session();
    expectStatus(await ann.call('PUT', `/v1/sessions/${id}/grants/user:${userId}`, { role: 'editor' }), 200);
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  it('see who reads and who writes, through every process, and nothing of it is stored', async () => {
    const stream = await bob.stream(id);
    await stream.untilType('synced');
    const { userId } = (await ann.get('/v1/me')).body;
    const before = await ann.events(id);
    expectStatus(await ann.post(`/v1/sessions/${id}/presence`, { state: 'typing' }), 204);
    const { data, id: seq } = await stream.untilType('presence');
    expect([data, seq]).toEqual([{ userId, name: 'admin', state: 'typing', expiresAt: expect.any(String) }, null]);
    expect(Math.abs(Date.parse(data.expiresAt) - Date.now() - 20_000)).toBeLessThan(15_000);
    expectStatus(await ann.post(`/v1/sessions/${id}/presence`, { state: 'left' }), 204);
    await stream.until(({ event, data: { state } }) => event === 'presence' && state === 'left');
    expect(await ann.events(id)).toEqual(before);
    stream.close();
    const stranger = await server.tenant('another');
    expect((await stranger.post(`/v1/sessions/${id}/presence`, { state: 'reading' })).body.code).toBe('session_not_found');
    expect((await ann.post(`/v1/sessions/${id}/presence`, { state: 'asleep' })).body.code).toBe('invalid_input');
  });

  it('see the prompts of others as they come, with their names', async () => {
    const streams = [await ann.stream(id), await bob.stream(id)];
    for (const stream of streams) await stream.untilType('synced');
    await ann.ask(id, 'Hello');
    await bob.ask(id, 'Hi');
    const { data: people } = expectStatus(await bob.get(`/v1/sessions/${id}/people`), 200).body;
    expect(people.map(({ userId: _, ...person }: UnknownObject) => person)).toEqual([
      { name: 'admin', isOwner: true, prompts: 1 },
      { name: 'Bob: of\nSales', isOwner: false, prompts: 1 },
    ]);
    const speakers = people.map(({ userId }: UnknownObject) => userId);
    for (const stream of streams) {
      const heard: string[] = [];
      await stream.until(({ event, data }) => event === 'prompt.submitted' && heard.push(data.actor.id) === 2);
      expect(heard).toEqual(speakers);
      stream.close();
    }
  });

  it('tell the model who speaks, by the name that was stored with the prompt; the payload audit explains it', async () => {
    const { data } = (await ann.get(`/v1/sessions/${id}/requests`)).body;
    const { requestId } = data.at(-1);
    const request = (await ann.get(`/v1/sessions/${id}/requests/${requestId}`)).body;
    const sent = JSON.stringify(request.payload.messages);
    expect([sent.includes('"admin: Hello"'), sent.includes('"Bob of Sales: Hi"'), request.verified]).toEqual([true, true, true]);
    const named = { action: 'changed', reason: expect.stringContaining('name of the user') };
    expect(request.trace.filter(({ pass }: UnknownObject) => pass === 'name-speakers')).toMatchObject([named, named]);
    const messages = await ann.messages(id, 'view=transcript');
    expect(messages.find(({ type }) => type === 'user')).toMatchObject({ content: 'Hello', speaker: 'admin' });
  });
});
