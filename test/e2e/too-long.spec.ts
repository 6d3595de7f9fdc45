import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf } from '../../src/engine/model/offline/script.js';
import { Signer } from '../../src/engine/model/offline/signature.js';
import { type Client, type UnknownObject } from '../support/client.js';
import { expectSound, payloadText, provenRequests } from '../support/proofs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Fault, type StandIn, startStandIn } from '../support/stand-in-server.js';

const TOO_LONG: Fault = { kind: 'error-response', status: 400, type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' };

/** A response that ended at the limit of the context window. */
const OUT_OF_WINDOW: Fault = {
  kind: 'events',
  events: eventsOf({
    ...{ id: 'msg_01full', model: 'claude-sonnet-5-5', blocks: [{ type: 'text', words: ['half ', 'an ', 'answer'] }] },
    ...{ stopReason: 'model_context_window_exceeded', inputTokens: 9, signer: new Signer({}) },
  }),
};

describe('a conversation that exceeds the context window', () => {
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

  const talk = async (): Promise<string> => {
    const id = await client.session();
    for (const input of ['one', 'two']) await client.ask(id, input);
    return id;
  };
  const purposes = ({ requests }: UnknownObject): readonly string[] => requests.map(({ purpose, status }: UnknownObject) => `${purpose} ${status}`);

  it.each([
    ["the provider's own error", TOO_LONG],
    ["another provider's error", { ...TOO_LONG, message: 'Input is too long for requested model.' }],
    [
      'input plus max_tokens over the window',
      {
        ...TOO_LONG,
        message: 'input length and `max_tokens` exceed context limit: 188240 + 32000 > 200000, decrease input length or `max_tokens` and try again',
      },
    ],
    ['a 413 response', { kind: 'error-response', status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' }],
    ['during the response', OUT_OF_WINDOW],
  ] as const)('%s: is compacted and retried once', async (_, fault) => {
    const id = await talk();
    api.next(fault);
    const turn = await client.ask(id, 'three');
    expect(turn.status).toBe('completed');
    expect(purposes(turn)).toEqual(['answer failed', 'compaction completed', 'answer completed']);
    expect(turn.requests[0].error.code).toBe('prompt_too_long');
    // The partial response stays in the transcript.
    expect((await client.messages(id)).filter(({ isVirtual }) => isVirtual)).toHaveLength(fault === OUT_OF_WINDOW ? 1 : 0);
    const text = await payloadText(client, id);
    expect(text).not.toContain('half an answer');
    expect(text).toContain('- one');
    await provenRequests(client, id);
    await expectSound(client, id);
  });

  it("after compaction too: fails the turn with the provider's error", async () => {
    const id = await talk();
    const behave = { kind: 'bytes' } as const;
    api.next(TOO_LONG, behave, TOO_LONG);
    const turn = await client.ask(id, 'three');
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long', status: 400, message: expect.stringContaining('213462') } });
    expect(purposes(turn)).toEqual(['answer failed', 'compaction completed', 'answer failed']);
    expect((await client.ask(id, 'four')).status).toBe('completed');
  });

  it('retries the compaction request after a transient error', async () => {
    const id = await talk();
    api.next(TOO_LONG, { kind: 'error-response', status: 529, type: 'overloaded_error', message: 'Overloaded' }, { kind: 'cut', after: 4 });
    const turn = await client.ask(id, 'three');
    expect(purposes(turn)).toEqual(['answer failed', 'compaction failed', 'compaction failed', 'compaction completed', 'answer completed']);
    expect((await client.messages(id)).filter(({ isVirtual }) => isVirtual)).toEqual([]);
    await provenRequests(client, id);
  });

  it('interrupted during compaction: ends the turn without a summary', async () => {
    const id = await talk();
    api.next(TOO_LONG, { kind: 'stall', after: 4 });
    const stream = await client.stream(id, {}, `?after=${(await client.get(`/v1/sessions/${id}`)).body.version}`);
    const { turnId } = (await client.prompt(id, 'three')).body;
    await stream.until(({ event, data }) => event === 'request.sent' && data.data.purpose === 'compaction');
    await client.post(`/v1/sessions/${id}/interrupt`);
    expect((await client.settled(id, turnId)).status).toBe('interrupted');
    stream.close();
    expect((await client.messages(id)).slice(-2).map(({ type, content }) => [type, typeof content === 'string' ? content : content[0].text])).toEqual([
      ['user', 'three'],
      ['user', '[Request interrupted by user]'],
    ]);
    expect((await client.ask(id, 'four')).status).toBe('completed');
    await provenRequests(client, id);
    await expectSound(client, id);
  });
});
