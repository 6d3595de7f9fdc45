import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';
import { expectVerified } from '../support/tool-server.js';

let api: StandIn;
let server: TestServer;
let client: Client;

beforeAll(async () => {
  api = await startStandIn();
  server = await startTestServer({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url });
  client = server.client;
});
afterAll(async () => {
  await server.stop();
  await api.close();
});

const lastBody = (): UnknownObject => JSON.parse(api.received.at(-1)!.body);
const betas = (): string => String(api.received.at(-1)!.headers['anthropic-beta'] ?? '');
const lookup = { name: 'lookup', input_schema: { type: 'object' } };

describe('the options of a session', () => {
  it('are in its requests, and by default thinking can be read', async () => {
    const id = await client.session();
    await client.ask(id, 'hello');
    expect(lastBody().thinking).toEqual({ type: 'adaptive', display: 'summarized' });
    expectStatus(
      await client.call('PATCH', `/v1/sessions/${id}`, {
        modelOptions: {
          effort: 'low',
          thinking: { display: 'omitted' },
          stop_sequences: ['END'],
          server_tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
          fallbacks: [{ model: 'claude-opus-4-8' }],
        },
      }),
      200,
    );
    await client.ask(id, 'and now?');
    expect(lastBody()).toMatchObject({
      output_config: { effort: 'low' },
      thinking: { type: 'adaptive', display: 'omitted' },
      stop_sequences: ['END'],
      fallbacks: [{ model: 'claude-opus-4-8' }],
    });
    expect(lastBody().tools).toContainEqual(expect.objectContaining({ type: 'web_search_20250305', max_uses: 2 }));
    expect(betas()).toContain('server-side-fallback-');
    expect((await client.get(`/v1/sessions/${id}`)).body.modelOptions).toMatchObject({ effort: 'low' });
    await expectVerified(client, id);
  });

  it('give way to those of a prompt, for its turn', async () => {
    const id = await client.session({ modelOptions: { effort: 'low' } });
    await client.ask(id, 'think hard', { modelOptions: { effort: 'max', thinking: { display: 'omitted' } } });
    expect(lastBody()).toMatchObject({ output_config: { effort: 'max' }, thinking: { display: 'omitted' } });
    await client.ask(id, 'thank you');
    expect(lastBody()).toMatchObject({ output_config: { effort: 'low' }, thinking: { display: 'summarized' } });
    await expectVerified(client, id);
  });

  it('force a tool in the first answer of a turn only', async () => {
    const id = await client.session({ model: 'claude-opus-4-8', tools: [lookup], modelOptions: { tool_choice: { type: 'tool', name: 'lookup' } } });
    const turn = await client.ask(id, '{{tool lookup {}}}');
    expect(turn.status).toBe('waiting');
    expect(lastBody().tool_choice).toEqual({ type: 'tool', name: 'lookup' });
    const toolUseId = (await client.messages(id, 'view=full')).at(-1)!.message.content.find(({ type }: UnknownObject) => type === 'tool_use').id;
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId, content: 'found' }] }), 202);
    await client.settled(id, turn.turnId);
    expect(lastBody()).not.toHaveProperty('tool_choice');
    await expectVerified(client, id);
  });

  it('that the model does not accept are left out, which the payload says', async () => {
    const id = await client.session({
      model: 'claude-opus-4-1',
      modelOptions: { effort: 'high', thinking: { type: 'adaptive' }, tool_choice: { type: 'any' } },
    });
    const { payload, changedOptions, problems } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(payload).not.toHaveProperty('output_config');
    expect(payload.thinking.type).toBe('enabled');
    expect(changedOptions.map(({ option }: UnknownObject) => option)).toEqual(['effort', 'thinking.type', 'tool_choice']);
    expect(problems.filter(({ rule }: UnknownObject) => rule !== 'messages-empty')).toEqual([]);
    expect(await client.ask(id, 'hello')).toMatchObject({ status: 'completed' });
  });

  it('are kept by forks, exports and resubmitted prompts', async () => {
    const id = await client.session({ modelOptions: { effort: 'medium' } });
    await client.ask(id, 'hello', { modelOptions: { effort: 'high' } });
    const { id: fork } = expectStatus(await client.post(`/v1/sessions/${id}/forks`, {}), 201).body;
    const file: string = (await client.get(`/v1/sessions/${id}/export`)).body;
    const { id: copy } = expectStatus(await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' }), 201).body;
    for (const one of [fork, copy]) expect((await client.get(`/v1/sessions/${one}`)).body.modelOptions).toEqual({ effort: 'medium' });
    const [prompt] = (await client.messages(id, 'view=full')).filter(({ type }: UnknownObject) => type === 'user');
    const { prompt: again } = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: prompt!.uuid }), 201).body;
    expect(again.modelOptions).toEqual({ effort: 'high' });
  });

  it.each([
    [{ effort: 'extreme' }, '/modelOptions/effort'],
    [{ tool_choice: { type: 'tool' } }, '/modelOptions/tool_choice/name'],
    [{ stop_sequences: [' '] }, '/modelOptions/stop_sequences/0'],
    [{ server_tools: [{ type: 'bash_20250124', name: 'bash' }] }, '/modelOptions/server_tools/0/type'],
    [{ temperature: 0 }, '/modelOptions/temperature'],
  ])('are refused by name when they are invalid: %j', async (modelOptions, pointer) => {
    const answer = expectStatus(await client.post('/v1/sessions', { modelOptions }), 400);
    expect(answer.body.errors.map((error: UnknownObject) => error.pointer)).toContain(pointer);
  });
});
