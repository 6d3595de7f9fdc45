import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';

const MODEL = 'claude-opus-4-5';
const user = (content: unknown) => ({ role: 'user', content });
const json = (response: Response): Promise<UnknownObject> => response.json() as Promise<UnknownObject>;

describe('a session that the server has made, continued through the Anthropic door', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    api = await startStandIn();
    server = await startTestServer({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url, CURRENT_DATE: 'true', GATEWAY_LOG: 'silent' });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  const ask = (session: string, messages: readonly object[], more: object = {}, by = client): Promise<Response> =>
    fetch(`${server.running.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': by.token!, 'anthropic-version': '2023-06-01', 'content-type': 'application/json', 'x-verbatim-session': session },
      body: JSON.stringify({ model: MODEL, max_tokens: 100, messages, ...more }),
    });
  const answerOf = async (response: Response): Promise<UnknownObject> => {
    const body = await json(response);
    expect([response.status, body]).toEqual([200, expect.objectContaining({ role: 'assistant' })]);
    return body;
  };
  const after = (previous: string) => ({ thread: { type: 'continue', previous_message_id: previous } });
  const requestOf = async (session: string, { headers }: Response): Promise<UnknownObject> =>
    (await client.get(`/v1/sessions/${session}/requests/${headers.get('x-verbatim-request')}`)).body;
  const sent = (at = -1): UnknownObject => JSON.parse(api.received.at(at)!.body);
  /** A session with standing context before its first prompt. */
  const made = async (text: string): Promise<string> => {
    const session = await client.session({ model: MODEL });
    await client.ask(session, text);
    expect((await client.messages(session)).map(({ type }) => type)).toContain('attachment');
    return session;
  };
  /** What a client has of a conversation. */
  const historyOf = async (session: string): Promise<readonly object[]> =>
    (await client.messages(session)).flatMap((message) =>
      message.type === 'user' ? [user(message.content)] : message.type === 'assistant' ? [{ role: 'assistant', content: message.message.content }] : [],
    );
  const texts = async (session: string): Promise<readonly string[]> =>
    (await client.messages(session)).flatMap(({ type, content, message }) => (type === 'attachment' ? [] : [content ?? message.content[0].text]));

  it('gets the messages of the client after its own, and is a thread whose answers are continued', async () => {
    const session = await made('{{say one}}');
    const history = await historyOf(session);
    const begun = await ask(session, [...history, user('{{say two}}')], { thread: { type: 'create' } });
    const two = await answerOf(begun);
    expect((await requestOf(session, begun)).original.length).toBe(history.length + 1);
    const three = await answerOf(await ask(session, [user('{{say three}}')], after(two.id)));
    await answerOf(await ask(session, [user('{{say four}}')], after(three.id)));
    expect(sent().messages.length).toBe(history.length + 5);
    expect(await texts(session)).toEqual(['{{say one}}', 'one', '{{say two}}', 'two', '{{say three}}', 'three', '{{say four}}', 'four']);
    expect((await client.get(`/v1/sessions/${session}/branches`)).body.data.length).toBe(1);
    expect((await client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
  });

  it('has the system messages of the client in their role and place', async () => {
    const model = 'claude-opus-5';
    const session = await client.session({ model });
    await client.ask(session, '{{say one}}');
    const told = { role: 'system', content: 'Be brief.' };
    await answerOf(await ask(session, [...(await historyOf(session)), user('{{say two}}'), told], { model }));
    await client.ask(session, '{{say three}}');
    const { messages } = sent();
    expect(messages.map(({ role }: UnknownObject) => role)).toEqual(['user', 'assistant', 'user', 'system', 'assistant', 'user']);
    expect(messages[3]).toEqual({ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] });
  });

  it('says what was repaired at the places of the client', async () => {
    const session = await made('{{say one}}');
    const history = await historyOf(session);
    const odd = user([
      { type: 'text', text: '' },
      { type: 'text', text: 'more' },
    ]);
    const response = await ask(session, [...history, odd]);
    await answerOf(response);
    const { original, trace, verified } = await requestOf(session, response);
    expect([verified, original.length]).toEqual([true, history.length + 1]);
    const dropped = trace.find(({ action }: UnknownObject) => action === 'dropped');
    expect(dropped.source).toEqual({ uuid: original.at(-1).uuid, index: 0 });
  });

  it('compares no request of a client with another, and says of no turn of the server that it broke the prefix of one', async () => {
    const session = await made('{{say one}}');
    const history = await historyOf(session);
    await answerOf(await ask(session, [...history, user('{{say two}}')]));
    await answerOf(await ask(session, [...(await historyOf(session)), user('{{say three}}')]));
    expect((await client.get(`/v1/sessions/${session}/payload`)).body.breaks).toEqual([]);
    await client.ask(session, '{{say four}}');
    await client.ask(session, '{{say five}}');
    const { data } = (await client.get(`/v1/sessions/${session}/requests`)).body;
    const prefixes = await Promise.all(
      data.map(async ({ requestId }: UnknownObject) => (await client.get(`/v1/sessions/${session}/requests/${requestId}`)).body.prefix),
    );
    expect(prefixes).toEqual([{ shared: 0 }, null, null, null, { shared: 7 }]);
  });

  it('is continued from any answer of the server by its id, when the client names the session', async () => {
    const session = await made('{{say one}}');
    await client.ask(session, '{{say two}}');
    const [one, two] = (await client.messages(session)).flatMap(({ type, message }) => (type === 'assistant' ? [message] : []));
    const body = sent();
    const three = await answerOf(await ask(session, [user('{{say three}}')], after(two.id)));
    // The body of the server, the answer, and the new message.
    expect(JSON.stringify(sent().messages.slice(0, -2))).toBe(JSON.stringify(body.messages));
    expect(sent().messages.slice(-2)).toEqual([{ role: 'assistant', content: two.content }, user('{{say three}}')]);
    expect([sent().system, sent().tools]).toEqual([body.system, body.tools]);
    await answerOf(await ask(session, [user('{{say four}}')], after(three.id)));
    const last = await ask(session, [user('{{say other}}')], after(one.id));
    await answerOf(last);
    expect(await requestOf(session, last)).toMatchObject({ verified: true, thread: { previous: one.id } });
    expect(await texts(session)).toEqual(['{{say one}}', 'one', '{{say other}}', 'other']);
    expect((await client.get(`/v1/sessions/${session}/branches`)).body.data.length).toBe(2);
    expect((await client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });

    // The turn of the server that follows sees all of it.
    await client.ask(session, '{{say end}}');
    expect(await texts(session)).toEqual(['{{say one}}', 'one', '{{say other}}', 'other', '{{say end}}', 'end']);

    // Nothing is found for another user, without the session, or in another one.
    const stranger = await server.tenant('stranger');
    for (const [named, by] of [
      [session, stranger],
      [await made('{{say elsewhere}}'), client],
    ] as const) {
      const refused = await ask(named, [user('mine?')], after(two.id), by);
      expect([refused.status, (await json(refused)).error.details]).toEqual([404, { error_code: 'thread_not_found' }]);
    }
    expectStatus(await client.call('DELETE', `/v1/sessions/${session}`), 202);
    const gone = await ask(session, [user('still?')], after(two.id));
    expect([gone.status, (await json(gone)).error.details]).toEqual([404, { error_code: 'thread_not_found' }]);
  });
});
