import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

const input_schema = { type: 'object', properties: {} };
const SEARCH = { name: 'find_tools', description: 'Finds tools.', input_schema };
const LOOKUP = { name: 'lookup', description: 'Looks up.', input_schema, defer_loading: true };

describe('tool search', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  /** A turn in which the client's search finds `lookup`; the last request of it. */
  const searched = async (client: Client): Promise<UnknownObject> => {
    const id = await client.session({ model: 'claude-sonnet-4-5', tools: [SEARCH, LOOKUP] });
    expect((await client.get(`/v1/sessions/${id}`)).body.tools).toEqual([SEARCH, LOOKUP]);
    const { turnId, status } = await client.ask(id, '{{tool find_tools {}}}');
    expect(status).toBe('waiting');
    const [call] = (await client.messages(id)).at(-1)!.message.content;
    const results = [{ toolUseId: call.id, content: [{ type: 'tool_reference', tool_name: 'lookup' }] }];
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results }), 202);
    expect((await client.settled(id, turnId)).status).toBe('completed');
    expect((await client.get(`/v1/sessions/${id}/payload`)).body.problems).toEqual([]);
    const { body } = await client.get(`/v1/sessions/${id}/requests`);
    const request = expectStatus(await client.get(`/v1/sessions/${id}/requests/${body.data.at(-1).requestId}`), 200).body;
    expect(request.verified).toBe(true);
    return request.payload;
  };
  const contentOf = (payload: UnknownObject): unknown => payload.messages.at(-1).content.find(({ type }: UnknownObject) => type === 'tool_result').content;

  it('sends deferred tools and the references of a search, without a cache marker on a deferred tool', async () => {
    const client = await server.tenant('searching');
    expectStatus(await client.call('PATCH', '/v1/settings', { gates: { 'tool-search': true } }), 200);
    const payload = await searched(client);
    expect(payload.tools).toEqual([{ ...SEARCH, cache_control: { type: 'ephemeral' } }, LOOKUP]);
    expect(contentOf(payload)).toEqual([{ type: 'tool_reference', tool_name: 'lookup' }]);
  });

  it('sends all tools at once when all are deferred, and when the gate is off', async () => {
    const client = await server.tenant('all deferred');
    const { defer_loading: _, ...visible } = LOOKUP;
    const off = await searched(client);
    expect(off.tools.map(({ defer_loading }: UnknownObject) => defer_loading)).toEqual([undefined, undefined]);
    expect(JSON.stringify(off.messages)).not.toContain('tool_reference');
    expectStatus(await client.call('PATCH', '/v1/settings', { gates: { 'tool-search': true } }), 200);
    const id = await client.session({ model: 'claude-sonnet-4-5', tools: [LOOKUP] });
    expect((await client.ask(id, 'hello')).status).toBe('completed');
    expect((await client.get(`/v1/sessions/${id}/payload`)).body).toMatchObject({ problems: [], payload: { tools: [visible] } });
  });

  it('keeps deferred tools in an export', async () => {
    const client = await server.tenant('exporting');
    const id = await client.session({ tools: [SEARCH, LOOKUP] });
    const file = await (await fetch(`${client.baseUrl}/v1/sessions/${id}/export`, { headers: { authorization: `Bearer ${client.token}` } })).text();
    const made = expectStatus(await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' }), 201).body;
    expect((await client.get(`/v1/sessions/${made.id}`)).body.tools).toEqual([SEARCH, LOOKUP]);
  });
});
