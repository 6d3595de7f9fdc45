import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { readMessages } from '../../packages/normalizer/plain-message.js';
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
    if (one.reasons) expect(body.trace.flatMap(({ action, reason }: UnknownObject) => (action === 'dropped' ? [reason] : []))).toEqual(one.reasons);
    expect(body.problems.map(({ rule }: { readonly rule: string }) => rule)).toEqual(one.problems ?? []);
    expect(createHash('sha256').update(JSON.stringify(body.payload)).digest('hex')).toBe(body.digest);
  });

  const normalized = async (body: object): Promise<UnknownObject> => expectStatus(await server.client.post('/v1/normalize', body), 200).body;

  it('takes system messages in the middle and calls of other APIs, and names what it ignores', async () => {
    const messages = [
      { role: 'user', content: 'What is it?', name: 'ada' },
      {
        role: 'system',
        content: [
          { type: 'tool_addition', tool: { type: 'tool_reference', name: 'lookup' } },
          { type: 'text', text: 'Be brief.' },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"q":1.0}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
      { role: 'system', content: 'Only now.', clear_at: 'next_user_message' },
    ];
    const tools = [{ name: 'lookup', input_schema: { type: 'object' } }];
    const { payload, notes, problems } = await normalized({ messages, tools });
    expect(problems).toEqual([]);
    const roles = (of: UnknownObject) => of.messages.map(({ role }: UnknownObject) => role);
    expect(roles(payload)).toEqual(['user', 'system', 'assistant', 'user', 'system']);
    // A model that does not take the role gets them as reminders.
    expect(roles((await normalized({ messages, tools, model: 'claude-sonnet-5' })).payload)).toEqual(['user', 'assistant', 'user']);
    const sent = JSON.stringify(payload.messages);
    for (const told of ['Be brief.', 'The tool lookup is available', '"name":"lookup"', '"tool_use_id":"c1"', 'Only now.']) expect(sent).toContain(told);
    expect(notes.map(({ pointer }: UnknownObject) => pointer)).toEqual([
      '/messages/0/name',
      '/messages/1/content/0',
      '/messages/1/role',
      '/messages/2/tool_calls',
      '/messages/3/role',
      '/messages/4/role',
    ]);
  });

  it('fits the options of the request to its model', async () => {
    const messages = [{ role: 'user', content: 'p' }];
    const { payload, changedOptions } = await normalized({
      messages,
      model: 'claude-opus-4-6',
      modelOptions: { effort: 'xhigh', thinking: { type: 'adaptive' } },
    });
    expect(payload).toMatchObject({ output_config: { effort: 'high' }, thinking: { type: 'adaptive' } });
    expect(changedOptions).toEqual([{ option: 'effort', reason: expect.stringContaining('high') }]);
    for (const name of ['temperature', 'top_p', 'top_k']) {
      for (const body of [
        { messages, [name]: 1 },
        { messages, modelOptions: { [name]: 1 } },
      ]) {
        const { errors } = expectStatus(await server.client.post('/v1/normalize', body), 400).body;
        expect(errors.map(({ pointer }: UnknownObject) => pointer)).toEqual([body.modelOptions ? `/modelOptions/${name}` : `/${name}`]);
      }
    }
  });

  it.each(['png', 'jpeg', 'gif', 'webp'] as const)('leaves out a %s that is cut off', async (format) => {
    const whole = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'teal' } })
      .toFormat(format)
      .toBuffer();
    const image = (bytes: Buffer): object => ({
      type: 'image',
      source: { type: 'base64', media_type: `image/${format}`, data: bytes.toString('base64') },
    });
    const imagesOf = async (bytes: Buffer): Promise<number> => {
      const { payload, problems } = await normalized({ messages: [{ role: 'user', content: [image(bytes), { type: 'text', text: 'What is it?' }] }] });
      expect(problems).toEqual([]);
      return payload.messages[0].content.filter(({ type }: UnknownObject) => type === 'image').length;
    };
    expect([await imagesOf(whole), await imagesOf(whole.subarray(0, whole.length >> 1))]).toEqual([1, 0]);
  });

  it('says that a model is unknown', async () => {
    const notes = async (model: string) =>
      expectStatus(await server.client.post('/v1/normalize', { model, messages: [{ role: 'user', content: 'p' }] }), 200).body.notes;
    expect(await notes('claude-opus-5')).toEqual([]);
    expect(await notes('clod-opus-99')).toEqual([{ pointer: '/model', detail: expect.stringContaining('is unknown to this server') }]);
  });

  it('stores nothing and calls no model', async () => {
    const before = (await server.client.get('/v1/sessions')).body.data;
    expectStatus(await server.client.post('/v1/normalize', { messages: [{ role: 'user', content: 'p' }] }), 200);
    expect((await server.client.get('/v1/sessions')).body.data).toEqual(before);
  });
});
