import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { ServerProcess } from '../support/process.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

describe('kill -9 while the Anthropic door passes an answer on', () => {
  let database: TestDatabase;
  let api: StandIn;
  let token: string;
  let folder: string;
  const running = new Set<ServerProcess>();

  const start = async (): Promise<ServerProcess> => {
    const server = await ServerProcess.start({ LOG_LEVEL: 'warn', DATABASE_URL: database.ownerUrl, ANTHROPIC_BASE_URL: api.url, DATA_DIR: folder });
    running.add(server);
    return server;
  };
  const ask = (server: ServerProcess, text: string): Promise<Response> =>
    fetch(`${server.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, stream: true, messages: [{ role: 'user', content: text }] }),
    });
  /** The texts of the answer in what came of a stream. */
  const textIn = (stream: string): string => [...stream.matchAll(/"type":"text_delta","text":"([^"]*)"/g)].map(([, text]) => text).join('');

  beforeAll(async () => {
    database = await freshDatabase();
    api = await startStandIn();
    token = await makeTenant(database.appUrl, 'gateway');
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-gateway-'));
  });
  afterEach(async () => {
    await Promise.all([...running].map((server) => server.kill()));
    running.clear();
  });
  afterAll(async () => {
    await api.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  it.each([4, 6, 8])('after %i events: what was delivered is recorded after a restart, once', async (events) => {
    const first = await start();
    const { fault, release } = held(events);
    api.next(fault);
    const response = await ask(first, `{{say one two three four five six seven}} ${events}`);
    const session = response.headers.get('x-verbatim-session')!;
    const decoder = new TextDecoder();
    let received = '';
    const reader = response.body!.getReader();
    while ([...received.matchAll(/\n\n/g)].length < events) received += decoder.decode((await reader.read()).value, { stream: true });
    await first.kill();
    release();
    await reader.read().catch(() => undefined);

    const client = (await start()).client(token);
    await until('what was delivered is in the log', async () => (await client.messages(session)).length === 2);
    const [, answer] = await client.messages(session);
    expect(answer.message.content).toEqual(textIn(received) === '' ? [{ type: 'text', text: '' }] : [{ type: 'text', text: textIn(received) }]);
    expect(answer.message.stop_reason).toBe(null);
    const { data } = (await client.get(`/v1/sessions/${session}/requests`)).body;
    expect(data).toMatchObject([{ status: 'failed', error: { code: 'stream_cut' }, usage: { input_tokens: expect.any(Number) } }]);
    await until('nothing is left of it in files', async () => (await readdir(path.join(folder, 'gateway'))).length === 0);
  });

  it('before the model API answers: the request is in the log, and says after a restart that it failed', async () => {
    const first = await start();
    api.next({ kind: 'silence' });
    const before = api.received.length;
    const answer = ask(first, 'is there anybody?').catch(() => null);
    await until('the request has gone out', async () => api.received.length > before);
    await first.kill();
    await answer;
    const client = (await start()).client(token);
    const { data } = (await client.get('/v1/sessions?limit=1')).body;
    const requests = (await client.get(`/v1/sessions/${data[0].id}/requests`)).body.data;
    expect(requests).toMatchObject([{ status: 'failed', error: { code: 'connection_error' } }]);
  });

  it('between the requests of a message thread: the next process continues its answers, also the one that was cut', async () => {
    const post = async (server: ServerProcess, body: object): Promise<Response> =>
      fetch(`${server.url}/anthropic/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, ...body }),
      });
    const next = (previous: string, content: string) => ({
      messages: [{ role: 'user', content }],
      thread: { type: 'continue', previous_message_id: previous },
    });
    const first = await start();
    const begun = await post(first, { messages: [{ role: 'user', content: '{{say begun}}' }], thread: { type: 'create' } });
    const { id } = (await begun.json()) as { id: string };
    const { fault, release } = held(4);
    api.next(fault);
    const cut = await post(first, { ...next(id, '{{say one two three}}'), stream: true });
    const reader = cut.body!.getReader();
    let received = '';
    while ([...received.matchAll(/\n\n/g)].length < 4) received += new TextDecoder().decode((await reader.read()).value);
    await first.kill();
    release();
    await reader.read().catch(() => undefined);
    const cutId = /"id":"(msg_[^"]+)"/.exec(received)![1]!;

    const second = await start();
    const branch = await post(second, next(id, '{{say another}}'));
    expect([branch.status, await branch.json()]).toEqual([200, expect.objectContaining({ content: [{ type: 'text', text: 'another' }] })]);
    await until('the answer that was cut can be continued', async () => (await post(second, next(cutId, '{{say further}}'))).status === 200);
    const { messages } = JSON.parse(api.received.at(-1)!.body) as { messages: readonly { content: unknown }[] };
    expect(messages.map(({ content }) => content)).toEqual([
      '{{say begun}}',
      [{ type: 'text', text: 'begun' }],
      '{{say one two three}}',
      [{ type: 'text', text: textIn(received) }],
      '{{say further}}',
    ]);
    const session = begun.headers.get('x-verbatim-session')!;
    expect((await second.client(token).get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
  });
});
