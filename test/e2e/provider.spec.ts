import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { SENT_API_VERSION } from '../../packages/normalizer/api-rules/index.js';
import { eventsOf } from '../../src/engine/model/offline/script.js';
import { Signer } from '../../src/engine/model/offline/signature.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { expectNothingLost } from '../support/ledger.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';

/** The server with the official client and a model API over a real socket. */
describe('with a model API', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    api = await startStandIn({ apiKey: 'test-key' });
    server = await startTestServer({ ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: api.url, MODEL_RETRY_MAX_MS: '50' });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  it('sends the exact bytes whose digest it records', async () => {
    const id = await client.session({ system: 'Be brief.', context: { rule: 'none' }, tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    for (const input of ['one é \ud83e\uddf5', '{{think first}}{{say two}}']) await client.ask(id, input);
    const digests = api.received.slice(-2).map(({ body }) => createHash('sha256').update(body).digest('hex'));
    const requests = (await client.get(`/v1/sessions/${id}/requests`)).body.data;
    expect(requests.map((request: UnknownObject) => request.digest)).toEqual(digests);
    for (const { requestId } of requests) {
      const { body } = await client.get(`/v1/sessions/${id}/requests/${requestId}`);
      expect(body.verified).toBe(true);
      expect(createHash('sha256').update(JSON.stringify(body.payload)).digest('hex')).toBe(body.digest);
    }
    const [, , , answer] = await client.messages(id);
    expect(answer.message.content.map((block: UnknownObject) => block.type)).toEqual(['thinking', 'text']);
    expect(requests[1].providerRequestId).toMatch(/^req_/);
  });

  it('leaves out every picture that one answer of the API names, in one more request, whatever its message says', async () => {
    const id = await client.session();
    const picture = async (background: string) => ({
      type: 'image',
      source: {
        type: 'base64',
        media_type: 'image/png',
        data: (
          await sharp({ create: { width: 8, height: 8, channels: 3, background } })
            .png()
            .toBuffer()
        ).toString('base64'),
      },
    });
    await client.ask(id, [{ type: 'text', text: 'look' }, await picture('red'), await picture('green'), await picture('blue')]);
    const [first] = JSON.parse(api.received.at(-1)!.body).messages;
    const at = first.content.flatMap((block: UnknownObject, index: number) => (block.type === 'image' ? [index] : []));
    const paths = [at[0], at[2]].map((index) => `messages.0.content.${index}`);
    api.next({
      kind: 'error-response',
      status: 400,
      message: 'Scale them.',
      details: { error_code: 'image_dimensions_too_large', max_side_length_pixels: 4, paths },
    });
    const turn = await client.ask(id, 'and now');
    expect(turn).toMatchObject({
      status: 'completed',
      requests: [{ status: 'failed', error: { errorCode: 'image_dimensions_too_large' } }, { status: 'completed' }],
    });
    const images = JSON.parse(api.received.at(-1)!.body).messages[0].content.filter(({ type }: UnknownObject) => type === 'image');
    expect(images).toEqual([expect.objectContaining({ source: first.content[at[1]].source })]);
  });

  it('sends no citations of a user, which the version of the API refuses that it sends', async () => {
    const id = await client.session();
    const citation = { type: 'char_location', cited_text: 'quoted', document_index: 0, document_title: null, start_char_index: 0, end_char_index: 6 };
    const turn = await client.ask(id, [{ type: 'text', text: 'as it says', citations: [citation] }]);
    expect([turn.status, turn.requests.map(({ status }: UnknownObject) => status)]).toEqual(['completed', ['completed']]);
    const { headers, body } = api.received.at(-1)!;
    expect(headers['anthropic-version']).toBe(SENT_API_VERSION);
    expect(body).toContain('as it says');
    // Sent as it was given, it would have been refused.
    const given = { ...JSON.parse(body), messages: [{ role: 'user', content: [{ type: 'text', text: 'as it says', citations: [citation] }] }] };
    const options = {
      method: 'POST',
      headers: { 'x-api-key': 'test-key', 'anthropic-version': SENT_API_VERSION, 'anthropic-beta': String(headers['anthropic-beta']) },
    };
    const refused = await fetch(`${api.url}/v1/messages`, { ...options, body: JSON.stringify(given) });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('only assistant messages can have citations')]);
  });

  it('requests the list of changes that the API made to the input, and shows it with the request', async () => {
    const id = await client.session();
    const dropped = { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'model_binding_mismatch' };
    const events = eventsOf({
      ...{ id: 'msg_01report', model: 'claude-sonnet-5-5', blocks: [{ type: 'text', words: ['hi'] }], stopReason: 'end_turn' },
      ...{ inputTokens: 9, signer: new Signer({}) },
    });
    const [start, ...rest] = events;
    const message = { ...(start!['message'] as object), input_transformations: [dropped] };
    api.next({ kind: 'events', events: [{ type: 'message_start', message }, ...rest] });
    const turn = await client.ask(id, 'hello');
    expect(api.received.at(-1)!.headers['anthropic-beta']).toBe('thinking-binding-controls-2026-08-01');
    const { body } = await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`);
    expect(body.inputTransformations).toEqual([dropped]);
    const other = await client.ask(id, 'again');
    expect((await client.get(`/v1/sessions/${id}/requests/${other.requests[0].requestId}`)).body.inputTransformations).toBeNull();
  });

  it('asks why the prompt cache was missed, naming the answer before, and shows the reason with the request', async () => {
    const id = await client.session();
    await client.ask(id, 'one');
    expect(JSON.parse(api.received.at(-1)!.body).diagnostics).toEqual({ previous_message_id: null });
    const [, answer] = await client.messages(id);
    const diagnostics = { cache_miss_reason: { type: 'messages_changed', cache_missed_input_tokens: 12 } };
    const [start, ...rest] = eventsOf({
      ...{ id: 'msg_01missed', model: 'claude-sonnet-5-5', blocks: [{ type: 'text', words: ['hi'] }], stopReason: 'end_turn' },
      ...{ inputTokens: 9, signer: new Signer({}) },
    });
    api.next({ kind: 'events', events: [{ type: 'message_start', message: { ...(start!['message'] as object), diagnostics } }, ...rest] });
    const turn = await client.ask(id, 'two');
    expect(JSON.parse(api.received.at(-1)!.body).diagnostics).toEqual({ previous_message_id: answer.message.id });
    const { body } = await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`);
    expect(body).toMatchObject({
      verified: true,
      cacheDiagnostics: diagnostics,
      betas: ['thinking-binding-controls-2026-08-01'],
    });
  });

  it('asks for the long window of a model whose id ends in [1m], by a header instead of the id', async () => {
    const id = await client.session({ model: 'claude-sonnet-4-5[1m]' });
    const turn = await client.ask(id, 'hello');
    expect(JSON.parse(api.received.at(-1)!.body).model).toBe('claude-sonnet-4-5');
    expect(api.received.at(-1)!.headers['anthropic-beta']).toMatch(/,context-1m-2025-08-07$/);
    expect((await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`)).body.verified).toBe(true);
  });

  it('gets the header that the advisor gate needs, in the requests of tenants that have it', async () => {
    const other = await server.tenant('advised');
    expectStatus(await other.call('PATCH', '/v1/settings', { gates: { advisor: true } }), 200);
    const id = await other.session();
    const turn = await other.ask(id, 'hello');
    expect(api.received.at(-1)!.headers['anthropic-beta']).toMatch(/,advisor-tool-2026-03-01$/);
    expect((await other.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`)).body).toMatchObject({ verified: true, gates: { advisor: true } });
    await client.ask(await client.session(), 'hello');
    expect(api.received.at(-1)!.headers['anthropic-beta']).not.toContain('advisor');
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'advisor', input: {} },
      { type: 'advisor_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'advisor_result', text: 'advice' } },
      { type: 'text', text: 'so be it' },
    ];
    const messages = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content },
      { role: 'user', content: 'and?' },
    ];
    const { body } = await other.post('/v1/normalize', { messages, gates: { advisor: true } });
    expect(body.payload.messages[1].content.map(({ type }: UnknownObject) => type)).toEqual(content.map(({ type }) => type));
    expect(body.problems).toEqual([]);
  });

  it('runs no call of an attempt that a model declined, and does not send it back', async () => {
    const id = await client.session({ tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    const call = (toolUseId: string) => ({ type: 'tool_use', id: toolUseId, name: 'lookup', input: {} });
    const content = [call('toolu_declined'), { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }, call('toolu_kept')];
    const message = { id: 'msg_01fallback', type: 'message', role: 'assistant', model: 'b', content: [], stop_reason: null, usage: { input_tokens: 1 } };
    const blocks = content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]);
    const end = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } }, { type: 'message_stop' }];
    api.next({ kind: 'events', events: [{ type: 'message_start', message }, ...blocks, ...end] });
    const turn = await client.ask(id, 'look it up');
    expect(turn).toMatchObject({ status: 'waiting', toolCalls: [{ toolUseId: 'toolu_kept' }] });
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: 'toolu_kept', content: 'found' }] }), 202);
    expect((await client.settled(id, turn.turnId)).status).toBe('completed');
    expect(api.received.at(-1)!.body).toContain('toolu_kept');
    expect(api.received.at(-1)!.body).not.toContain('toolu_declined');
  });

  it.each(['vertex', 'foundry'])('fits requests to the limits of MODEL_PROVIDER %s, for any model id', async (provider) => {
    const partner = await startTestServer({ ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: api.url, MODEL_PROVIDER: provider });
    const id = await partner.client.session({ model: 'claude-opus-5' });
    const picture = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const turn = await partner.client.ask(id, [{ type: 'text', text: 'look' }, picture]);
    expect(api.received.at(-1)!.body).not.toContain('example.com');
    const { body } = await partner.client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`);
    expect(body).toMatchObject({ verified: true });
    expect((await partner.client.events(id)).find(({ type }) => type === 'request.sent')!.data.profile).toBe(`claude-opus-5/${provider}`);
    const messages = [{ role: 'user', content: [picture] }];
    expect(JSON.stringify((await partner.client.post('/v1/normalize', { messages, model: 'claude-opus-5' })).body.payload)).not.toContain('example.com');
    expect(JSON.stringify((await client.post('/v1/normalize', { messages, model: 'claude-opus-5' })).body.payload)).toContain('example.com');
    await partner.stop();
  });

  it.each([
    ['is overloaded', { kind: 'error-response', status: 529, type: 'overloaded_error', message: 'Overloaded' }],
    ['limits the rate', { kind: 'error-response', status: 429, type: 'rate_limit_error', message: 'slow down', headers: { 'retry-after-ms': '5' } }],
    ['cuts the stream', { kind: 'cut', after: 4 }],
    ['ends the stream early', { kind: 'end', after: 4 }],
    ['fails in mid-stream', { kind: 'error', after: 4, type: 'overloaded_error', message: 'Overloaded' }],
  ] as const)('retries when it %s, and keeps the partial response', async (_, fault) => {
    const id = await client.session();
    api.next(fault);
    const turn = await client.ask(id, '{{long 20}}');
    expect(turn).toMatchObject({ status: 'completed', requests: [{ status: 'failed' }, { status: 'completed' }] });
    const shown = (await client.messages(id)).filter((message) => message.isVirtual);
    expect(shown).toHaveLength('after' in fault ? 1 : 0);
    await expectNothingLost(client, id, [turn.promptId]);
  });

  it('fails the turn after the last attempt; the next prompt works', async () => {
    const id = await client.session();
    const busy = { kind: 'error-response', status: 529, type: 'overloaded_error', message: 'Overloaded' } as const;
    api.next(busy, busy, busy, busy);
    const turn = await client.ask(id, 'anyone?');
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'overloaded_error', status: 529 } });
    expect(turn.requests).toHaveLength(4);
    expect((await client.messages(id)).at(-1)).toMatchObject({ type: 'system', subtype: 'api_error' });
    expect((await client.ask(id, 'again')).status).toBe('completed');
  });

  it('does not retry an error that is not retryable', async () => {
    const id = await client.session();
    api.next({ kind: 'error-response', status: 401, type: 'authentication_error', message: 'invalid x-api-key' });
    expect(await client.ask(id, 'hello')).toMatchObject({ status: 'failed', error: { status: 401 }, requests: [{}] });
  });

  describe.each([
    ['400', { kind: 'error-response', status: 400, type: 'invalid_request_error', message: 'image exceeds 10 MB maximum: 11000000 bytes > 10485760 bytes' }],
    ['413', { kind: 'error-response', status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' }],
  ] as const)('that rejects a picture with a %s', (_, fault) => {
    const look = async () => {
      const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#00ff00' } })
        .png()
        .toBuffer();
      return [
        { type: 'text', text: 'look at this' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
      ];
    };
    const lastSent = (): string => api.received.at(-1)!.body;

    it('fails the turn if it is of its own prompt, and leaves the picture and its size out from then on', async () => {
      const id = await client.session();
      api.next(fault);
      expect(await client.ask(id, await look())).toMatchObject({ status: 'failed', error: { message: fault.message }, requests: [{ status: 'failed' }] });
      expect(lastSent()).toContain('shown at full size');
      expect((await client.messages(id)).at(-1)).toMatchObject({ type: 'assistant', isApiErrorMessage: true });
      expect((await client.ask(id, 'go on')).status).toBe('completed');
      expect(lastSent()).toContain('look at this');
      expect(lastSent()).not.toMatch(/"image"|shown at full size/);
      const { body } = await client.get(`/v1/sessions/${id}/payload`);
      expect(body.problems).toEqual([]);
      expect(body.trace.filter(({ pass, action }: UnknownObject) => pass === 'drop-rejected-media' && action === 'dropped')).toHaveLength(3);
    });

    it('repeats the request without it if it is of an earlier prompt', async () => {
      const id = await client.session();
      await client.ask(id, await look());
      api.next(fault);
      expect(await client.ask(id, 'go on')).toMatchObject({ status: 'completed', requests: [{ status: 'failed' }, { status: 'completed' }] });
      expect(lastSent()).toContain('look at this');
      expect(lastSent()).not.toMatch(/"image"|shown at full size/);
    });
  });

  it('does not repeat a request for an error about a kind of file that the conversation does not have', async () => {
    const id = await client.session();
    api.next({ kind: 'error-response', status: 400, type: 'invalid_request_error', message: 'The PDF specified is password protected.' });
    expect(await client.ask(id, 'no file')).toMatchObject({ status: 'failed', requests: [{ status: 'failed' }] });
  });

  it('closes the connection when the turn is interrupted, and runs the next queued prompt', async () => {
    const id = await client.session();
    api.next({ kind: 'stall', after: 4 });
    const stalled = (await client.prompt(id, '{{long 20}}')).body;
    const stream = await client.stream(id);
    await stream.untilType('request.sent');
    const after = (await client.prompt(id, 'after it')).body;
    await client.post(`/v1/sessions/${id}/interrupt`);
    expect((await client.settled(id, stalled.turnId)).status).toBe('interrupted');
    expect((await client.settled(id, after.turnId)).status).toBe('completed');
    stream.close();
    await Promise.all(api.received.map(({ closed }) => closed));
    await expectNothingLost(client, id, [stalled.promptId, after.promptId]);
  });
});
