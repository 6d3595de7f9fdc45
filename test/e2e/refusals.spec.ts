import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf, type ScriptedBlock } from '../../src/engine/model/offline/script.js';
import { Signer } from '../../src/engine/model/offline/signature.js';
import { DEFAULT_MODEL } from '../../packages/normalizer/models/profiles.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Fault, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { expectVerified } from '../support/tool-server.js';

const DETAILS = { type: 'refusal', category: 'cyber', explanation: 'This is about an attack.' };

describe('a turn that the model refuses', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;

  const start = (more: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
    startTestServer({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url, ...more });
  beforeAll(async () => {
    api = await startStandIn();
    server = await start();
    client = server.client;
    expectStatus(await client.call('PATCH', '/v1/settings', { instructions: 'Be kind.' }), 200);
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  const answer = (stopReason: string, ...blocks: readonly ScriptedBlock[]): Fault => ({
    kind: 'events',
    events: eventsOf({ id: `msg_${api.received.length}`, model: DEFAULT_MODEL, blocks, stopReason, inputTokens: 100, signer: new Signer({}) }).map((event) =>
      event.type === 'message_delta' && stopReason === 'refusal' ? { ...event, delta: { ...(event['delta'] as object), stop_details: DETAILS } } : event,
    ),
  });
  const says = (text: string): ScriptedBlock => ({ type: 'text', words: [text] });
  const lastBody = (): string => api.received.at(-1)!.body;

  it('is left out of later requests, with a reason, and stays in the log', async () => {
    const id = await client.session();
    await client.ask(id, 'first question');
    api.next(answer('refusal'));
    const turn = await client.ask(id, 'forbidden question', { attachments: [{ type: 'selected_lines_in_ide', content: 'forbidden lines' }] });
    expect(turn).toMatchObject({ status: 'refused', stopReason: 'refusal', stopDetails: DETAILS, error: null });
    const refused = JSON.parse(lastBody()).messages;
    expect(await client.ask(id, 'next question')).toMatchObject({ status: 'completed' });
    const sent = JSON.parse(lastBody()).messages as readonly UnknownObject[];
    const plain = (messages: readonly UnknownObject[]): string =>
      JSON.stringify(messages, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
    expect(plain(sent)).not.toContain('forbidden');
    expect(plain(sent)).toContain('Be kind.');
    expect(plain(sent.slice(0, 2))).toBe(plain(refused.slice(0, 2)));
    expect(sent).toHaveLength(3);

    const shown = await client.messages(id, 'view=transcript');
    expect(JSON.stringify(shown)).toContain('forbidden question');
    expect(shown.find(({ subtype }) => subtype === 'refusal').content).toContain(DETAILS.explanation);
    const { trace } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    const dropped = trace.filter(({ pass }: UnknownObject) => pass === 'drop-withdrawn');
    expect(dropped.map(({ action }: UnknownObject) => action)).toEqual(dropped.map(() => 'dropped'));
    expect(dropped.length).toBeGreaterThanOrEqual(2);
    await expectVerified(client, id);
  });

  it('is left out when it was refused after text or calls, or first of all; the standing context stays', async () => {
    const id = await client.session({ tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    api.next(answer('tool_use', says('I look.'), { type: 'tool_use', id: 'toolu_1', name: 'lookup', json: '{}' }), answer('refusal', says('Half an answer')));
    const { turnId } = (await client.prompt(id, 'forbidden question')).body;
    await client.settled(id, turnId);
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: 'toolu_1', content: 'forbidden result' }] }), 202);
    expect(await client.settled(id, turnId)).toMatchObject({ status: 'refused' });
    await client.ask(id, 'next question');
    for (const words of ['forbidden', 'I look', 'Half an answer']) expect(lastBody()).not.toContain(words);
    expect(lastBody().split('Be kind.')).toHaveLength(2);
    await expectVerified(client, id);
  });

  it('may be a summary: less is asked for, and the summary says what is missing', async () => {
    const id = await client.session();
    for (let turn = 1; turn <= 6; turn += 1) await client.ask(id, `question ${turn} ${'word '.repeat(50)}`);
    const before = api.received.length;
    api.next(answer('refusal'), answer('refusal'), answer('end_turn', says('So far.')));
    const { turnId } = expectStatus(await client.post(`/v1/sessions/${id}/compactions`, {}), 202).body;
    expect(await client.settled(id, turnId)).toMatchObject({
      status: 'completed',
      stopReason: 'compacted',
      requests: [{ stopReason: 'refusal' }, { stopReason: 'refusal' }, { stopReason: 'end_turn' }],
    });
    const bodies = api.received.slice(before).map(({ body }) => body);
    expect(bodies.map((body) => body.includes('question 1 '))).toEqual([true, true, false]);
    expect(bodies.map((body) => body.includes('question 6 '))).toEqual([true, false, false]);
    const summary = (await client.messages(id)).find(({ isCompactSummary }) => isCompactSummary);
    expect(JSON.stringify(summary)).toContain('oldest part is missing');
    expect((await client.events(id)).find(({ type }) => type === 'session.compacted').data.omitted).toBeGreaterThan(0);
    await expectVerified(client, id);
  });

  it('can be asked again, and keeps its prompt where that is set', async () => {
    const id = await client.session();
    api.next(answer('refusal'));
    await client.ask(id, 'a question');
    const { turnId } = expectStatus(await client.post(`/v1/sessions/${id}/regenerate`), 202).body;
    expect(await client.settled(id, turnId)).toMatchObject({ status: 'completed' });
    expect(lastBody()).toContain('a question');

    const keeping = await start({ REFUSED_PROMPTS: 'keep' });
    const kept = await keeping.client.session();
    api.next(answer('refusal', says('Half an answer')));
    expect(await keeping.client.ask(kept, 'refused question')).toMatchObject({ status: 'refused' });
    await keeping.client.ask(kept, 'next question');
    expect(lastBody()).toContain('refused question');
    expect(lastBody()).not.toContain('Half an answer');
    await keeping.stop();
  });
});
