import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call } from '../support/tool-server.js';

/** Copies of each command; half of them at another process. */
const COPIES = 6;
const ROUNDS = 2;

interface Given {
  readonly id: string;
  readonly uuid: string;
  readonly toolUseId: string;
}

type Row = readonly [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: (given: Given) => UnknownObject, at?: 'waiting' | 'queued'];

/** Copies of one request under one idempotency key that arrive at the same time, as from a client that does not wait for its answer before it sends again. */
describe('parallel copies of one command all get the first response', () => {
  let server: TestServer;
  let other: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
    other = await startTestServer({}, server.database, client.token);
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  const ROWS: readonly Row[] = [
    ['PATCH', '', () => ({ title: 'a title' })],
    ['POST', '/prompts', () => ({ input: 'a prompt' })],
    ['POST', '/prompts', () => ({ input: 'a prompt', whenBusy: 'reject' })],
    ['POST', '/prompts', () => ({ input: '/status' })],
    ['POST', '/prompts', ({ uuid }) => ({ input: 'edited', replaces: uuid })],
    ['POST', '/prompts', ({ uuid }) => ({ input: 'edited', replaces: uuid, whenBusy: 'interrupt' }), 'waiting'],
    ['POST', '/prompts', () => ({ input: 'queued' }), 'waiting'],
    ['POST', '/prompts', () => ({ input: '/exit' }), 'waiting'],
    ['POST', '/regenerate', () => ({})],
    ['POST', '/regenerate', () => ({ whenBusy: 'interrupt' }), 'waiting'],
    ['POST', '/forks', () => ({ title: 'a fork' })],
    ['POST', '/rewinds', ({ uuid }) => ({ before: uuid })],
    ['POST', '/interrupt', () => ({}), 'waiting'],
    ['POST', '/tool-results', ({ toolUseId }) => ({ results: [{ toolUseId, content: 'found' }] }), 'waiting'],
    ['POST', '/close', () => ({})],
  ];

  it.each(ROWS)('%s %s', async (...row) => {
    const [method, path, body, at] = row;
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await client.session({ tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
      await client.ask(id, 'one');
      const [{ uuid }] = await client.messages(id);
      const waiting = at === 'waiting' ? await client.ask(id, call('lookup', {})) : null;
      const given = { id, uuid, toolUseId: waiting?.toolCalls[0].toolUseId ?? '' };
      const key = freshKey();
      const clients = Array.from({ length: COPIES }, (_, index) => (index % 2 === 0 ? client : other.client));
      const answers = await Promise.all(clients.map((one) => one.call(method, `/v1/sessions/${id}${path}`, body(given), key)));
      const statuses = answers.map(({ status, body: answer }) => [status, answer.code]);
      expect(new Set(statuses.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify([answers[0]!.status, undefined])]));
      expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    }
  });

  it('imports and new sessions, too', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [path, body] of [
        ['/v1/sessions', '{"title":"new"}'],
        [
          '/v1/imports',
          '{"type":"session","format":"verbatim/1"}\n{"type":"user","uuid":"0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e","parentUuid":null,"content":"hi"}\n',
        ],
      ] as const) {
        const type = { 'content-type': path === '/v1/imports' ? 'application/x-ndjson' : 'application/json' };
        const key = freshKey();
        const clients = Array.from({ length: COPIES }, (_, index) => (index % 2 === 0 ? client : other.client));
        const answers = await Promise.all(clients.map((one) => one.call('POST', path, body, { ...key, ...type })));
        expect(answers.map(({ status, body: answer }) => [path, status, answer.code, answer.id])).toEqual(
          answers.map(() => [path, 201, undefined, answers[0]!.body.id]),
        );
      }
    }
  });
});
