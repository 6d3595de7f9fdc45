import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectStatus } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { readMessages } from '../../src/core/normalize/plain-message.js';
import { toldOf, turnsOf } from '../normalize/cases/case.js';
import { CASES } from '../normalize/cases/index.js';

describe('POST /v1/normalize', () => {
  let server: TestServer;
  beforeAll(async () => (server = await startTestServer()));
  afterAll(() => server.stop());

  it.each(CASES.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const { messages, settings } = one;
    const { body } = expectStatus(await server.client.post('/v1/normalize', { messages, ...settings }), 200);
    expect(body.payload.messages).toEqual(JSON.parse(JSON.stringify(turnsOf(one))));
    expect(toldOf(body.trace, readMessages(messages))).toEqual(one.told);
    expect(body.problems.map(({ rule }: { readonly rule: string }) => rule)).toEqual(one.problems ?? []);
    expect(createHash('sha256').update(JSON.stringify(body.payload)).digest('hex')).toBe(body.digest);
  });

  it('stores nothing and calls no model', async () => {
    const before = (await server.client.get('/v1/sessions')).body.data;
    expectStatus(await server.client.post('/v1/normalize', { messages: [{ role: 'user', content: 'p' }] }), 200);
    expect((await server.client.get('/v1/sessions')).body.data).toEqual(before);
  });
});
