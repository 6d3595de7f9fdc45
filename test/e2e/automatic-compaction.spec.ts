import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { expectSound, payloadText, provenRequests } from '../support/proofs.js';
import { startTestServer, type TestServer } from '../support/server.js';

const typesOf = (messages: readonly UnknownObject[]): readonly string[] =>
  messages.map(({ type, subtype, isCompactSummary }) => (isCompactSummary ? 'summary' : (subtype ?? type)));
const count = (events: readonly UnknownObject[], type: string): number => events.filter((event) => event.type === type).length;

describe('hooks before a compaction', () => {
  let directory: string;
  let server: TestServer;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'hooks-'));
    const command = `node -e 'const {trigger,custom_instructions}=JSON.parse(require("fs").readFileSync(0));if(custom_instructions==="never"||trigger==="auto"){console.error("not now: "+trigger);process.exit(2)}'`;
    const hooks = path.join(directory, 'hooks.json');
    await writeFile(hooks, JSON.stringify({ hooks: { PreCompact: [{ hooks: [{ type: 'command', command }] }] } }));
    server = await startTestServer({ HOOKS_FILE: hooks, CONTEXT_WINDOW_TOKENS: '1000', MAX_OUTPUT_TOKENS: '100' });
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  it('block a requested compaction with a warning, or allow it', async () => {
    const { client } = server;
    const id = await client.session({ autoCompact: false });
    for (let turn = 1; turn <= 3; turn += 1) await client.ask(id, `question ${turn}`);
    const sent = await payloadText(client, id);
    const forbidden = (await client.post(`/v1/sessions/${id}/compactions`, { instructions: 'never' })).body;
    expect(await client.settled(id, forbidden.turnId)).toMatchObject({ status: 'completed', stopReason: 'not_sent', requests: [] });
    expect((await client.messages(id)).at(-1)).toMatchObject({
      subtype: 'hook_blocked',
      level: 'warning',
      content: expect.stringContaining('not now: manual'),
    });
    expect(await payloadText(client, id)).toBe(sent);
    const allowed = (await client.post(`/v1/sessions/${id}/compactions`)).body;
    expect(await client.settled(id, allowed.turnId)).toMatchObject({ stopReason: 'compacted' });
    const runs = (await client.events(id)).filter(({ type }) => type === 'hook.completed').map(({ data }) => [data.event, data.outcome]);
    expect(runs).toEqual([
      ['PreCompact', 'blocked'],
      ['PreCompact', 'success'],
    ]);
  });

  it('block an automatic compaction: the turn continues without it, or fails as too long', async () => {
    const { client } = server;
    const id = await client.session();
    for (let turn = 1; turn <= 3; turn += 1) await client.ask(id, `question ${turn} ${'word '.repeat(150)}`);
    const turn = await client.ask(id, 'short');
    const log = await client.events(id);
    expect(turn.status).toBe('completed');
    expect(log.filter(({ type, data }) => type === 'hook.completed' && data.turnId === turn.turnId)).toHaveLength(1);
    expect(count(log, 'session.compacted')).toBe(0);
    expect(await client.ask(id, `long ${'word '.repeat(300)}`)).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long' } });
  });
});

describe('skills that were invoked before a compaction', () => {
  let skills: string;
  let server: TestServer;

  beforeAll(async () => {
    skills = await mkdtemp(path.join(tmpdir(), 'skills-'));
    await writeFile(
      path.join(skills, 'greet.md'),
      `---\ndescription: Greets\n---\n${'Longer than what the model quotes. '.repeat(10)}Always begin with a greeting.\n`,
    );
    server = await startTestServer({ SKILLS_DIR: skills });
  });
  afterAll(async () => {
    await server.stop();
    await rm(skills, { recursive: true });
  });

  it('still apply after it: each once, and not again while its turn is kept', async () => {
    const { client } = server;
    const compact = async (id: string): Promise<UnknownObject> =>
      client.settled(id, expectStatus(await client.post(`/v1/sessions/${id}/compactions`), 202).body.turnId);
    const id = await client.session();
    await client.ask(id, '/greet {{say ada}}');
    for (let turn = 2; turn <= 4; turn += 1) await client.ask(id, `question ${turn}`);
    for (let again = 1; again <= 2; again += 1) {
      await compact(id);
      const text = await payloadText(client, id);
      expect(text.match(/Always begin with a greeting/g)).toHaveLength(1);
      expect(text).toContain('<system-reminder>');
      expect(text.indexOf('This conversation began earlier')).toBeLessThan(text.indexOf('Always begin'));
      for (let turn = 1; turn <= 2; turn += 1) await client.ask(id, `further question ${turn}`);
    }
    await client.ask(id, '/greet {{say bob}}');
    await client.ask(id, 'last');
    await compact(id);
    expect((await payloadText(client, id)).match(/Always begin with a greeting/g)).toHaveLength(1);
    expect((await client.messages(id)).at(-1)).toMatchObject({ isCompactSummary: true });
    await provenRequests(client, id);
    await expectSound(client, id);
  });
});

describe('a conversation that exceeds the context window', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer({ CONTEXT_WINDOW_TOKENS: '1500', MAX_OUTPUT_TOKENS: '300' });
    client = server.client;
  });
  afterAll(() => server.stop());

  it('is compacted repeatedly within the turns that fill it, and continues', async () => {
    const id = await client.session();
    for (let turn = 1; turn <= 12; turn += 1) expect((await client.ask(id, `question ${turn} ${'word '.repeat(100)}`)).status).toBe('completed');
    const log = await client.events(id);
    const compactions = log.filter(({ type }) => type === 'session.compacted');
    expect(compactions.length).toBeGreaterThan(1);
    expect(compactions.every(({ data }) => data.trigger === 'auto' && data.preTokens > 0.8 * 1500)).toBe(true);
    for (const { data } of compactions) {
      const turn = (await client.get(`/v1/sessions/${id}/turns/${data.turnId}`)).body;
      expect(turn.requests.map(({ purpose }: UnknownObject) => purpose)).toEqual(['compaction', 'answer']);
    }
    const requests = await provenRequests(client, id);
    expect(requests.every(({ status }) => status === 'completed')).toBe(true);
    expect(new Set(requests.map(({ prefix }) => prefix.cause))).toEqual(new Set([undefined, 'compaction']));
    await expectSound(client, id);
  });

  it('is compacted before its first request when it was imported and is far too long: no request is sent in vain', async () => {
    const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const lines = Array.from({ length: 24 }, (_, index) => {
      const place = { uuid: uuid(index), parentUuid: index === 0 ? null : uuid(index - 1), timestamp: '2026-01-01T00:00:00.000Z', sessionId: 'large' };
      const text = `message ${index} ${'word '.repeat(200)}`;
      const answer = {
        ...{ id: `msg_${index}`, type: 'message', role: 'assistant', model: 'claude-sonnet-5-5' },
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
      };
      return JSON.stringify(
        index % 2 === 0 ? { ...place, type: 'user', message: { role: 'user', content: text } } : { ...place, type: 'assistant', message: answer },
      );
    });
    const { body } = await client.call('POST', '/v1/imports', `${lines.join('\n')}\n`, { 'content-type': 'application/x-ndjson' });
    const turn = await client.ask(body.id, 'and now?');
    expect(turn.status).toBe('completed');
    expect(turn.requests.map(({ purpose, status }: UnknownObject) => `${purpose} ${status}`)).toEqual(['compaction completed', 'answer completed']);
    await provenRequests(client, body.id);
  });

  it('is compacted when a request is too long, and the request is repeated', async () => {
    const id = await client.session();
    for (let turn = 1; turn <= 3; turn += 1) await client.ask(id, `question ${turn} ${'word '.repeat(60)}`);
    const turn = await client.ask(id, `{{window 400}}now ${'word '.repeat(40)}`);
    expect(turn).toMatchObject({
      status: 'completed',
      requests: [
        { purpose: 'answer', error: { code: 'prompt_too_long' } },
        { purpose: 'compaction', status: 'completed' },
        { purpose: 'answer', status: 'completed' },
      ],
    });
    const messages = await client.messages(id);
    const boundary = messages.find(({ subtype }) => subtype === 'compact_boundary');
    expect(messages.find(({ uuid }) => uuid === boundary.compactMetadata.keptFrom).content).toContain('{{window 400}}now');
    expect(typesOf(messages).slice(-4)).toEqual(['user', 'compact_boundary', 'summary', 'assistant']);
    await provenRequests(client, id);
    await expectSound(client, id);
  });

  it('fails with a stable code when nothing can be summarized or compaction is off', async () => {
    const id = await client.session();
    expect(await client.ask(id, 'word '.repeat(1_600))).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long', status: 400 } });
    const off = await client.session({ autoCompact: false });
    for (let turn = 1; turn <= 3; turn += 1) await client.ask(off, `question ${turn} ${'word '.repeat(80)}`);
    expect(await client.ask(off, '{{window 200}}x')).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long' }, requests: [{ purpose: 'answer' }] });
    expect((await client.get(`/v1/sessions/${off}`)).body.autoCompact).toBe(false);
    expectStatus(await client.call('PATCH', `/v1/sessions/${off}`, { autoCompact: null }), 200);
    expect((await client.ask(off, 'and on')).status).toBe('completed');
    // Once only: a request that is too long after the summary fails.
    const twice = await client.session();
    for (let turn = 1; turn <= 2; turn += 1) await client.ask(twice, `question ${turn} ${'word '.repeat(60)}`);
    const turn = await client.ask(twice, `{{window 120}} ${'word '.repeat(150)}`);
    expect(turn).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long' } });
    expect(turn.requests.map(({ purpose }: UnknownObject) => purpose)).toEqual(['answer', 'compaction', 'answer']);
    await provenRequests(client, twice);
  });

  it('is compacted during a turn of many requests, whose own messages stay complete', async () => {
    const id = await client.session({ tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    for (let turn = 1; turn <= 3; turn += 1) await client.ask(id, `question ${turn} ${'word '.repeat(60)}`);
    const { turnId } = await client.ask(id, '{{tool lookup {}}}');
    const call = (await client.messages(id)).at(-1).message.content[0];
    await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: call.id, content: 'word '.repeat(700) }] });
    const turn = await client.settled(id, turnId);
    expect(turn).toMatchObject({ status: 'completed' });
    expect(turn.requests.map(({ purpose }: UnknownObject) => purpose)).toEqual(['answer', 'compaction', 'answer']);
    const sent = (await client.get(`/v1/sessions/${id}/payload`)).body.payload.messages;
    expect(sent.flatMap(({ content }: UnknownObject) => content.map((block: UnknownObject) => block.type))).toEqual([
      'text',
      'text',
      'tool_use',
      'tool_result',
      'text',
      'text',
    ]);
    await provenRequests(client, id);
    await expectSound(client, id);
  });
});
