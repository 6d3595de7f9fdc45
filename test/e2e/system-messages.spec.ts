import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

const [TAKES, TAKES_NOT] = ['claude-opus-5', 'claude-sonnet-5'];
const VERSE = 'Answer in verse.';
const told = (content: unknown) => ({ attachments: [{ type: 'system_message', content }] });
const rolesIn = (messages: readonly UnknownObject[]): readonly string[] => messages.map(({ role }) => role);
const isSystem = ({ role }: UnknownObject): boolean => role === 'system';

describe('a system message in the middle of a session', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
  });
  afterAll(() => server.stop());

  const bodies = async (id: string): Promise<readonly UnknownObject[]> => {
    const { data } = (await client.get(`/v1/sessions/${id}/requests`)).body;
    const requests = await Promise.all(data.map(({ requestId }: UnknownObject) => client.get(`/v1/sessions/${id}/requests/${requestId}`)));
    for (const { body } of requests) expect(body.verified).toBe(true);
    return requests.map(({ body }) => body);
  };

  it('goes out in the role system after the prompt, and stays there in every later request', async () => {
    const id = await client.session({ model: TAKES });
    await client.ask(id, 'one');
    await client.ask(id, 'two', told(VERSE));
    await client.ask(id, 'three');
    const requests = await bodies(id);
    const [, second, third] = requests.map(({ payload }) => payload.messages as readonly UnknownObject[]);
    expect(rolesIn(second!)).toEqual(['user', 'assistant', 'user', 'system']);
    expect(second!.at(-1)).toEqual({ role: 'system', content: [{ type: 'text', text: VERSE }] });
    expect(rolesIn(third!)).toEqual(['user', 'assistant', 'user', 'system', 'assistant', 'user']);
    expect(third![3]).toEqual(second![3]);
    expect(requests[2]!['prefix']).toEqual({ shared: 4 });
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
  });

  it('is a reminder in the message of the user for a model that does not take the role', async () => {
    const id = await client.session({ model: TAKES_NOT });
    await client.ask(id, 'one', told(VERSE));
    const [{ payload } = {}] = await bodies(id);
    expect(rolesIn(payload.messages)).toEqual(['user']);
    expect(JSON.stringify(payload.messages)).toContain(`<system-reminder>\\n${VERSE}\\n</system-reminder>`);
  });

  it('needs the right of the system prompt, and a text', async () => {
    const id = await client.session({ model: TAKES });
    const { token, userId } = (await client.post('/v1/tokens', { userName: 'an editor' })).body;
    const editor = client.as(token);
    expectStatus(await client.call('PUT', `/v1/sessions/${id}/grants/user:${userId}`, { role: 'editor' }), 200);
    const before = await client.events(id);
    expect(await editor.post(`/v1/sessions/${id}/prompts`, { input: 'one', ...told(VERSE) })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    for (const content of [' ', undefined, 1]) {
      const refused = await client.post(`/v1/sessions/${id}/prompts`, { input: 'one', ...told(content) });
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_input', errors: [{ pointer: '/attachments/0/content' }] } });
    }
    expect(await client.events(id)).toEqual(before);
    await editor.ask(id, 'one');
  });

  it('is carried over by a compaction, once, and erased with the prompt that has said it', async () => {
    const id = await client.session({ model: TAKES });
    await client.ask(id, 'one', told(VERSE));
    await client.ask(id, 'two', told('It is a test.'));
    await client.ask(id, 'three', told(VERSE));
    for (const prompt of ['four', 'five', 'six']) await client.ask(id, prompt);
    for (let times = 0; times < 2; times += 1) {
      await client.settled(id, expectStatus(await client.post(`/v1/sessions/${id}/compactions`, {}), 202).body.turnId);
      for (const prompt of ['seven', 'eight', 'nine']) await client.ask(id, prompt);
      const { messages } = (await bodies(id)).at(-1)!['payload'];
      const said = (messages as readonly UnknownObject[]).filter(isSystem).flatMap(({ content }) => content.map(({ text }: UnknownObject) => text.trim()));
      expect(said).toEqual(['It is a test.', VERSE]);
    }
    const third = (await client.messages(id)).find(({ content }) => content === 'three' || content?.[0]?.text === 'three')!;
    const copies = async () => (await client.messages(id)).filter(({ attachment }) => attachment?.of !== undefined).map(({ attachment }) => attachment.content);
    expect(await copies()).toEqual(['It is a test.', VERSE, 'It is a test.', VERSE]);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${third.uuid}`), 202);
    expect(await copies()).toEqual(['It is a test.', 'It is a test.']);
  });
});
