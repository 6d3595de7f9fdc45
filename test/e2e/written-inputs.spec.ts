import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { jsonObjectText } from '../support/json-texts.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';

let api: StandIn;
let server: TestServer;
let client: Client;

const environment = (): Record<string, string> => ({ ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: api.url });

beforeAll(async () => {
  api = await startStandIn({ apiKey: 'test-key' });
  server = await startTestServer(environment());
  client = server.client;
});
afterAll(async () => {
  await server.stop();
  await api.close();
});

const FIRST = '{"id":9007199254740993,"f":1.0,"2":1,"1":2,"zero":-0,"f":0.10, "e":1E5}';
const INPUTS = [FIRST, ...fc.sample(jsonObjectText, { seed: 7, numRuns: 30 })];

const callText = (input: string, index: number): string => `{"type":"tool_use","id":"toolu_${index}","name":"lookup","input":${input}}`;

function expectAll(body: string): void {
  expect(INPUTS.map(callText).filter((call) => !body.includes(call))).toEqual([]);
}

function streamOf(inputs: readonly string[]) {
  const message = { id: 'msg_01inputs', type: 'message', role: 'assistant', model: 'claude-sonnet-5-5', content: [], stop_reason: null, stop_sequence: null };
  const usage = { input_tokens: 10, output_tokens: 1 };
  const blocks = inputs.flatMap((input, index) => [
    { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `toolu_${index}`, name: 'lookup', input: {} } },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: input } },
    { type: 'content_block_stop', index },
  ]);
  return [
    { type: 'message_start', message: { ...message, usage } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 40 } },
    { type: 'message_stop' },
  ];
}

async function textOf(as: Client, path: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(`${as.baseUrl}${path}`, { ...init, headers: { authorization: `Bearer ${as.token}`, ...init.headers } });
  expect(response.status).toBeLessThan(300);
  return response.text();
}

it('sends inputs as the model wrote them: in the next request, after a restart, after an export and an import, and from /v1/normalize', async () => {
  const tools = [{ name: 'lookup', input_schema: { type: 'object' } }];
  const id = await client.session({ tools });
  api.next({ kind: 'events', events: streamOf(INPUTS) });
  const open = await client.ask(id, 'Look these up');
  expect(open.toolCalls[0].input).toEqual({ id: '9007199254740993', f: 0.1, 2: 1, 1: 2, zero: 0, e: 100000 });
  const results = INPUTS.map((_, index) => ({ toolUseId: `toolu_${index}`, content: 'found' }));
  expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results }), 202);
  await client.settled(id, open.turnId);
  expectAll(api.received.at(-1)!.body);

  const { token } = client;
  await server.running.stop();
  server = {
    ...(await startTestServer(environment(), server.database, token)),
    stop: async () => {
      await server.running.stop();
      await server.database.drop();
    },
  };
  client = server.client;
  const requests = (await client.get(`/v1/sessions/${id}/requests`)).body.data;
  const last = await textOf(client, `/v1/sessions/${id}/requests/${requests.at(-1).requestId}`);
  expectAll(last);
  expect((JSON.parse(last) as UnknownObject).verified).toBe(true);
  expectAll(await textOf(client, `/v1/sessions/${id}/payload`));

  const exported = await textOf(client, `/v1/sessions/${id}/export?format=jsonl`);
  for (const [index, input] of INPUTS.entries()) expect(exported).toContain(callText(input.replaceAll('\n', ' '), index));
  const imported = await textOf(client, '/v1/imports', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...freshKey() },
    body: exported,
  });
  expect(JSON.parse(imported)).toMatchObject({ skippedTotal: 0 });
  expectAll(await textOf(client, `/v1/sessions/${(JSON.parse(imported) as UnknownObject).id}/payload`));

  const calls = `[${INPUTS.map(callText).join(',')}]`;
  const normalized = await textOf(client, '/v1/normalize', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":${calls}},{"role":"user","content":${JSON.stringify(results.map(({ toolUseId }) => ({ type: 'tool_result', tool_use_id: toolUseId, content: 'x' })))}}]}`,
  });
  expectAll(normalized);
});

it('rejects an integer that would be rounded, by name', async () => {
  const response = await fetch(`${client.baseUrl}/v1/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json', ...freshKey() },
    body: '{"metadata":{"a":["b"],"order":9007199254740993}}',
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'invalid_input',
    errors: [{ pointer: '/metadata/order', detail: expect.stringContaining('send it as a string') }],
  });
});
