import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { expectNothingLost } from '../support/ledger.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** On a model with preserved thinking: a signature sent after another prefix would be a 400, and a failed turn. */
describe('thinking', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer({});
    client = server.client;
  });
  afterAll(() => server.stop());

  const SETTINGS = { model: 'claude-sonnet-5-5', system: 'Be brief.', tools: [{ name: 'lookup', input_schema: { type: 'object' } }] };

  /** A session with two answers that thought, the first of them in a loop with a tool. */
  async function twoAnswers(): Promise<{ readonly id: string; readonly prompts: string[] }> {
    const id = await client.session(SETTINGS);
    const { body } = await client.prompt(id, '{{think one}}{{tool lookup {"q":1}}}');
    await client.settled(id, body.turnId);
    const calls = (await client.messages(id)).at(-1)?.message.content.filter((block: UnknownObject) => block.type === 'tool_use');
    const results = calls.map((call: UnknownObject) => ({ toolUseId: call.id, content: 'found' }));
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results }), 202);
    expect(await client.settled(id, body.turnId)).toMatchObject({ status: 'completed' });
    const prompts = [body.promptId];
    await asked(id, prompts, '{{think two}}{{say b}}');
    return { id, prompts };
  }

  async function asked(id: string, prompts: string[], input: string): Promise<UnknownObject> {
    const turn = await client.ask(id, input);
    expect(turn).toMatchObject({ status: 'completed', error: null });
    prompts.push(turn.promptId);
    const { requestId } = turn.requests.at(-1);
    return (await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body;
  }

  const thoughts = ({ payload }: UnknownObject): readonly string[] =>
    payload.messages.flatMap(({ content }: UnknownObject) => content.flatMap((block: UnknownObject) => (block.type === 'thinking' ? [block.thinking] : [])));
  const dropped = ({ trace }: UnknownObject): readonly string[] => trace.flatMap(({ action, pass }: UnknownObject) => (action === 'dropped' ? [pass] : []));
  const change = async (id: string, changes: object): Promise<void> => void expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, changes), 200);

  it('is sent as long as nothing before it has changed', async () => {
    const { id, prompts } = await twoAnswers();
    const sent = await asked(id, prompts, 'go on');
    expect(thoughts(sent)).toEqual(['one', 'two']);
    expect(sent.prefix).not.toHaveProperty('cause');
    await expectNothingLost(client, id, prompts);
  });

  it.each([
    ['the system prompt', { system: 'Be long.' }, 'configuration: system'],
    ['the tools', { tools: [] }, 'configuration: tools'],
    ['the context', { context: { rule: 'Answer in French.' } }, 'configuration: context'],
  ])('goes when %s changes, and the trace says why', async (_, changes, cause) => {
    const { id, prompts } = await twoAnswers();
    await change(id, changes);
    const sent = await asked(id, prompts, '{{think three}}{{say c}}');
    expect(thoughts(sent)).toEqual([]);
    expect(dropped(sent)).toEqual(['drop-detached-thinking', 'drop-detached-thinking']);
    expect(sent.trace.find(({ action }: UnknownObject) => action === 'dropped').reason).toContain('its signature belongs to another system prompt');
    expect(sent.prefix).toMatchObject({ shared: 0, cause });
    expect(thoughts(await asked(id, prompts, 'go on'))).toEqual(['three']);
    await expectNothingLost(client, id, prompts);
  });

  it('is sent only to the model that produced it', async () => {
    const { id, prompts } = await twoAnswers();
    await change(id, { model: 'claude-haiku-5-5' });
    const other = await asked(id, prompts, '{{think three}}{{say c}}');
    expect(dropped(other)).toEqual(['drop-other-model-thinking', 'drop-other-model-thinking']);
    expect(other.prefix).toMatchObject({ cause: 'model' });
    await change(id, { model: 'claude-sonnet-5-5' });
    const back = await asked(id, prompts, 'go on');
    expect(thoughts(back)).toEqual(['one', 'two']);
    expect(dropped(back)).toEqual(['drop-other-model-thinking']);
    await change(id, { model: 'claude-opus-4-6' });
    expect(thoughts(await asked(id, prompts, 'go on'))).toEqual(['one', 'two', 'three']);
    await expectNothingLost(client, id, prompts);
  });

  it('survives a rewind to after it, is removed by one to before it, and returns with its restore', async () => {
    const { id, prompts } = await twoAnswers();
    const prompt = (await client.messages(id)).findLast((message) => message.type === 'user' && !message.isMeta);
    const rewind = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: prompt.uuid }), 201).body;
    expect(thoughts(await asked(id, prompts, '{{think other}}{{say c}}'))).toEqual(['one']);
    expect(thoughts(await asked(id, prompts, 'go on'))).toEqual(['one', 'other']);
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${rewind.id}/restore`), 201);
    const sent = await asked(id, prompts, 'and now?');
    expect(thoughts(sent)).toEqual(['one', 'two']);
    expect(dropped(sent)).toEqual([]);
    await expectNothingLost(client, id, prompts);
  });

  it('of an interrupted answer is kept once it was signed', async () => {
    const id = await client.session(SETTINGS);
    const { body } = await client.prompt(id, '{{think one}}{{slow 100}}{{long 5000}}');
    const stream = await client.stream(id);
    await stream.until((event) => event.event === 'message.delta' && event.data.index === 1);
    await client.post(`/v1/sessions/${id}/interrupt`);
    expect(await client.settled(id, body.turnId)).toMatchObject({ status: 'interrupted' });
    stream.close();
    const prompts = [body.promptId];
    expect(thoughts(await asked(id, prompts, 'go on'))).toEqual(['one']);
    await expectNothingLost(client, id, prompts);
  });
});
