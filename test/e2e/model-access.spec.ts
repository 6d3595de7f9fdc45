import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';

const HAIKU = 'claude-haiku-4-5';
const OPUS = 'claude-opus-4-8';
const hello = { max_tokens: 100, messages: [{ role: 'user' as const, content: 'hello' }] };

describe('models that may be asked', () => {
  let api: StandIn;
  let server: TestServer;
  let admin: Client;
  let tenants = 0;
  let seen = 0;

  beforeAll(async () => {
    api = await startStandIn({ apiKey: 'upstream-key' });
    server = await startTestServer({ ANTHROPIC_API_KEY: 'upstream-key', ANTHROPIC_BASE_URL: api.url, GATEWAY_OTHER_ROUTES: 'on', MODEL: HAIKU });
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });
  beforeEach(async () => {
    tenants += 1;
    admin = await server.tenant(`tenant ${tenants}`);
    seen = api.received.length;
  });

  const allow = async (models: object): Promise<unknown> => expectStatus(await admin.call('PATCH', '/v1/settings', { models }), 200);
  const idOf = async (of: Client): Promise<string> => (await of.get('/v1/me')).body.userId;
  /** What the model API has received in this test. */
  const received = () => api.received.slice(seen);
  const asked = (): readonly string[] => received().flatMap(({ body }) => (JSON.parse(body) as UnknownObject).model ?? []);
  const door = (path: string, body: string | Buffer, by = admin, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${server.running.url}/anthropic/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': by.token!, ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });

  it('are all until a list is set', async () => {
    const { models } = expectStatus(await admin.get('/v1/settings'), 200).body;
    expect(models).toEqual({});
    expect((await admin.ask(await admin.session({ model: OPUS }), 'hello')).status).toBe('completed');
    expect(asked()).toContain(OPUS);
  });

  it('are those of the tenant and of the user, when a session is made or configured', async () => {
    const ann = admin.as((await admin.post('/v1/tokens', { userName: 'ann' })).body.token);
    await allow({ tenant: ['claude-*'], user: ['claude-haiku-*'], users: { [await idOf(admin)]: ['claude-opus-*', 'claude-haiku-*'] } });
    const refused = await ann.post('/v1/sessions', { model: OPUS });
    expect(refused.body).toMatchObject({
      status: 403,
      code: 'model_not_allowed',
      scope: 'user',
      detail: `You may not use the model ${OPUS}. Allowed: claude-haiku-*.`,
    });
    expect((await admin.post('/v1/sessions', { model: 'gpt-5' })).body).toMatchObject({ code: 'model_not_allowed', scope: 'tenant' });
    expect((await admin.ask(await admin.session({ model: OPUS }), 'hello')).status).toBe('completed');
    const id = await ann.session({ model: HAIKU });
    expect((await ann.call('PATCH', `/v1/sessions/${id}`, { model: OPUS })).body.code).toBe('model_not_allowed');
    expect((await ann.ask(id, 'hello')).status).toBe('completed');
  });

  it('bind turns of sessions that were made before', async () => {
    const id = await admin.session({ model: OPUS });
    await allow({ tenant: [HAIKU] });
    const turn = await admin.ask(id, 'hello');
    expect(turn).toMatchObject({
      status: 'failed',
      error: { code: 'model_not_allowed', message: `Your tenant may not use the model ${OPUS}. Allowed: ${HAIKU}.` },
    });
    expect(asked()).toEqual([]);
    await admin.call('PATCH', `/v1/sessions/${id}`, { model: HAIKU });
    expect((await admin.ask(id, 'again')).status).toBe('completed');
    expect(new Set(asked())).toEqual(new Set([HAIKU]));
  });

  it('bind the models that a request falls back to', async () => {
    await allow({ tenant: [HAIKU] });
    const id = await admin.session({ model: HAIKU, modelOptions: { fallbacks: [{ model: OPUS }] } });
    expect(await admin.ask(id, 'hello')).toMatchObject({ status: 'failed', error: { code: 'model_not_allowed' } });
    expect(received()).toEqual([]);
  });

  it('bind clients of the Messages API, in its own words', async () => {
    await allow({ tenant: [HAIKU] });
    const sdk = new Anthropic({ apiKey: admin.token!, baseURL: `${server.running.url}/anthropic`, maxRetries: 0 });
    const error = await sdk.messages.create({ model: OPUS, ...hello }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.PermissionDeniedError);
    expect(error).toMatchObject({ status: 403, error: { error: { type: 'permission_error', details: { error_code: 'model_not_allowed' } } } });
    expect((await sdk.messages.create({ model: HAIKU, ...hello })).model).toBe(HAIKU);
    const fallbacks = { model: HAIKU, ...hello, fallbacks: [{ model: OPUS }] };
    expect((await door('messages', JSON.stringify(fallbacks))).status).toBe(403);
    const anyOther = { model: HAIKU, ...hello, fallbacks: 'default' };
    expect((await door('messages', JSON.stringify(anyOther))).status).toBe(403);
    const advisor = { type: 'tool_definition', definition: { type: 'advisor_20260301', name: 'advisor', model: OPUS } };
    const adding = { model: HAIKU, max_tokens: 100, messages: [...hello.messages, { role: 'system', content: [{ type: 'tool_addition', tool: advisor }] }] };
    expect((await door('messages', JSON.stringify(adding))).status).toBe(403);
    const twice = JSON.stringify({ model: HAIKU, ...hello }).replace('{', `{"mod\\u0065l":"${OPUS}",`);
    expect(((await (await door('messages', twice)).json()) as UnknownObject).error).toMatchObject({
      type: 'invalid_request_error',
      message: 'The request has the member "model" twice.',
    });
    expect(asked()).toEqual([HAIKU]);
  });

  it('bind the requests of a batch, in any coding', async () => {
    await allow({ tenant: [HAIKU] });
    const batch = (model: string): string => JSON.stringify({ requests: [{ custom_id: 'a', params: { model, ...hello } }] });
    const refused = await Promise.all([
      door('messages/batches', batch(OPUS)),
      door('messages/batches', gzipSync(batch(OPUS)), admin, { 'content-encoding': 'gzip' }),
      door('messages/batches', batch(OPUS), admin, { 'content-type': 'text/plain' }),
      door('messages/batches', `\ufeff${batch(OPUS)}`),
      door('messages/batches', batch(OPUS), admin, { 'content-encoding': 'zstd' }),
      door('messages/batches', Buffer.from(`\ufeff${batch(OPUS)}`, 'utf16le')),
      // Some decoders stop at the zero, others read the second member.
      door('messages/batches', Buffer.concat([gzipSync(batch(HAIKU)), Buffer.from([0]), gzipSync(batch(OPUS))]), admin, { 'content-encoding': 'gzip' }),
      door('messages/batches', `[${batch(OPUS)}]`),
      door('sessions', JSON.stringify({ agent: { type: 'agent_with_overrides', id: 'agent_1', model: OPUS } })),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 400, 415, 400, 400, 403, 403]);
    expect(received()).toEqual([]);
    expect((await door('messages/batches', batch(HAIKU))).status).not.toBe(403);
    expect(received()).toHaveLength(1);
  });

  it('are what the model API is asked, whatever the lists and the requests are', async () => {
    const names = ['claude-haiku-4-5', 'claude-opus-4-8', 'claude-opus-4-1', 'claude-sonnet-4-5'];
    const pattern = fc.constantFrom(...names, 'claude-*', 'claude-opus-*', 'claude-opus-4-8*', '*');
    const user = await idOf(admin);
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.array(pattern, { maxLength: 2 })),
        fc.option(fc.array(pattern, { maxLength: 2 })),
        fc.constantFrom(...names),
        async (tenant, own, model) => {
          await allow({ ...(tenant ? { tenant } : {}), ...(own ? { users: { [user]: own } } : {}) });
          seen = api.received.length;
          const { status } = await door('messages', JSON.stringify({ model, ...hello }));
          const isAllowed = [tenant, own].every((list) => list === null || list.some((name) => new RegExp(`^${name.replace('*', '.*')}$`).test(model)));
          expect([status, asked()]).toEqual(isAllowed ? [200, [model]] : [403, []]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('are named in a way that is checked', async () => {
    for (const models of [{ tenant: ['a*b'] }, { user: 'claude-*' }, { users: { ann: [] } }, { other: [] }])
      expect((await admin.call('PATCH', '/v1/settings', { models })).body).toMatchObject({ status: 400, code: 'invalid_input' });
  });
});
