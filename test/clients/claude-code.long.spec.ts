import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describeWith } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { until } from '../support/until.js';
import { ClaudeCode } from './claude-code.js';
import { STOCK_CLIENTS } from './client-program.js';
import { judged } from './judged.js';
import { type RecordingProxy, type Seen, startRecordingProxy } from './recording-proxy.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describeWith(STOCK_CLIENTS)('stock Claude Code at the Anthropic door', () => {
  let api: StandIn;
  let server: TestServer;
  let proxy: RecordingProxy;
  let claude: ClaudeCode;
  let sent = 0;
  let received = 0;
  beforeAll(async () => {
    api = await startStandIn({ apiKey: 'upstream-key' });
    server = await startTestServer({ ANTHROPIC_API_KEY: 'upstream-key', ANTHROPIC_BASE_URL: api.url });
    proxy = await startRecordingProxy(() => server.running.url);
    claude = await ClaudeCode.install(proxy.url, server.client.token!, proxy.url);
  });
  afterAll(async () => {
    await claude.uninstall();
    await proxy.close();
    await server.stop();
    await api.close();
  });
  beforeEach(() => {
    sent = proxy.seen.length;
    received = api.received.length;
  });
  // Telemetry is off, and there is no other address that it wants.
  afterEach(() => expect(proxy.elsewhere).toEqual([]));
  afterEach(() => expect(judged(api.received.slice(received))).toEqual([]));

  /** The requests of this test, after it is shown that the model API got the bytes that Claude Code has sent. */
  const forwarded = (): readonly Seen[] => {
    const seen = proxy.seen.slice(sent);
    const digests = (all: readonly string[]): readonly string[] => all.toSorted();
    expect(digests(api.received.slice(received).map(({ body }) => sha256(body)))).toEqual(digests(seen.map((one) => one.sha256)));
    expect(seen.length).toBeGreaterThan(0);
    return seen;
  };
  const sessionsOf = (seen: readonly Seen[]): readonly string[] => [...new Set(seen.map(({ session }) => session!))];
  const roles = async (session: string): Promise<readonly string[]> => (await server.client.messages(session)).map(({ type }) => type as string);
  const branches = async (session: string): Promise<number> => (await server.client.get(`/v1/sessions/${session}/branches`)).body.data.length;
  const readNote = (word: string): string => `${word} {{think Where is it?}}{{tool Read {"file_path":"${claude.project}/note.txt"}}}`;

  it('runs a tool, and continues the same session with --resume and --continue; a fork is another one', async () => {
    const first = await claude.ask(readNote('first'));
    expect(first).toMatchObject({ is_error: false, result: expect.stringContaining('The note says 42.') });
    const [session, ...others] = sessionsOf(forwarded());
    expect(others).toEqual([]);
    expect(await roles(session!)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const second = await claude.ask('second {{think Well.}}{{say two}}', '--resume', first.session_id);
    expect(second).toMatchObject({ is_error: false, result: 'two', session_id: first.session_id });
    const third = await claude.ask('third {{think Well.}}{{say three}}', '--continue');
    expect(third).toMatchObject({ is_error: false, result: 'three', session_id: first.session_id });
    expect(sessionsOf(forwarded())).toEqual([session]);
    expect((await roles(session!)).length).toBe(8);
    expect(await branches(session!)).toBe(1);
    const fork = await claude.ask('fork {{think Well.}}{{say four}}', '--resume', first.session_id, '--fork-session');
    expect(fork).toMatchObject({ is_error: false, result: 'four' });
    expect(fork.session_id).not.toBe(first.session_id);
    const [, forked, ...more] = sessionsOf(forwarded());
    expect(more).toEqual([]);
    expect((await server.client.get(`/v1/sessions/${forked}`)).body.metadata.gateway).toMatchObject({ group: fork.session_id, forkOf: session });
    const { data } = (await server.client.get('/v1/sessions?limit=100')).body;
    expect(data.filter(({ id }: { id: string }) => id === session).length).toBe(1);
    expect((await server.client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
    expect((await server.client.get(`/v1/sessions/${session}`)).body.metadata.gateway).toMatchObject({ group: first.session_id });
  });

  it('runs a subagent, which is a session of its own', async () => {
    const task = { description: 'Says hello', subagent_type: 'general-purpose', prompt: '{{think Hm.}}{{say hello from below}}', run_in_background: false };
    const answer = await claude.ask(`agent {{think Ask.}}{{tool Agent ${JSON.stringify(task)}}}`);
    expect(answer).toMatchObject({ is_error: false, result: expect.stringContaining('Agent returned') });
    const seen = forwarded();
    const [main, agent, again] = seen.map(({ session }) => session!);
    expect([seen.length, again]).toEqual([3, main]);
    expect(agent).not.toBe(main);
    expect(await roles(agent!)).toEqual(['user', 'assistant']);
    expect(JSON.stringify(await server.client.messages(agent!))).toContain('"hello from below"');
    expect(JSON.stringify(await server.client.messages(main!))).toContain('hello from below');
    const ofAgent = (await server.client.get(`/v1/sessions/${agent}`)).body.metadata.gateway;
    expect(ofAgent).toMatchObject({ group: expect.stringMatching(new RegExp(`^${answer.session_id}/.`)), parent: answer.session_id });
  });

  it('compacts its conversation, and continues with the summary in a session of the same name', async () => {
    const { session_id: id } = await claude.ask('to be compacted {{think Well.}}{{say one}}');
    await claude.ask('more of it {{think Well.}}{{say two}}', '--resume', id);
    const [before] = sessionsOf(forwarded());
    const compacted = await claude.ask('/compact', '--resume', id);
    expect(compacted).toMatchObject({ is_error: false });
    const after = await claude.ask('after it {{think Well.}}{{say three}}', '--resume', compacted.session_id);
    expect(after).toMatchObject({ is_error: false, result: 'three' });
    const sessions = sessionsOf(forwarded());
    expect([sessions.length, sessions[0]]).toEqual([2, before]);
    const [, last] = sessions as [string, string];
    expect(await roles(before!)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    const [summary, ...rest] = await server.client.messages(last);
    expect(summary!.content).toMatch(/^This session is being continued/);
    expect(rest.at(-1)!.message.content.at(-1)).toMatchObject({ text: 'three' });
    for (const session of sessions) {
      expect((await server.client.get(`/v1/sessions/${session}`)).body.metadata.gateway).toMatchObject({ group: id });
      expect((await server.client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
    }
  });

  it('tries again by itself after a 529, and that is one turn', async () => {
    expect(await claude.ask('busy {{fail 529}}{{think Well.}}{{say later}}')).toMatchObject({ result: 'later' });
    const seen = forwarded();
    expect(seen.map(({ status }) => status)).toEqual([529, 200]);
    const [session, ...others] = sessionsOf(seen);
    expect(others).toEqual([]);
    expect(await roles(session!)).toEqual(['user', 'assistant']);
  });

  it('sees a refusal as the model API wrote it', async () => {
    api.next({ kind: 'error-response', status: 400, message: 'prompt is too long: 9 tokens > 8 maximum' });
    expect(await claude.ask('long {{think Well.}}{{say later}}')).toMatchObject({
      is_error: true,
      api_error_status: 400,
      result: expect.stringMatching(/9 tokens .*8/),
    });
    expect(forwarded()[0]).toMatchObject({ status: 400 });
  });

  it('sends a turn again whose stream is cut, in the same session', async () => {
    const { session_id: id } = await claude.ask('before {{think Well.}}{{say before}}');
    const [session] = sessionsOf(forwarded());
    api.next({ kind: 'cut', after: 12 });
    expect(await claude.ask('cut {{think Well.}}{{say one two three four}}', '--resume', id)).toMatchObject({ is_error: false });
    const seen = forwarded();
    expect(seen.length).toBe(3);
    expect(sessionsOf(seen)).toEqual([session]);
    const all = await roles(session!);
    expect([all.slice(0, 3), all.at(-1)]).toEqual([['user', 'assistant', 'user'], 'assistant']);
    expect((await server.client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
  });

  // After its text has begun, it writes the first message again with a remark at its end; after the first text is whole, it continues from there.
  it.each([4, 8, 12])('sends its first turn again whose stream is cut after %i events, in the same session', async (after) => {
    api.next({ kind: 'cut', after });
    const cut = await claude.ask(`first cut ${after} {{think Well.}}{{say one two three four}}`);
    expect(cut).toMatchObject({ is_error: false });
    expect(await claude.ask('after the cut {{think Well.}}{{say more}}', '--resume', cut.session_id)).toMatchObject({ result: 'more' });
    const seen = forwarded();
    expect(seen.length).toBe(3);
    const [session, ...others] = sessionsOf(seen);
    expect(others).toEqual([]);
    expect((await roles(session!)).slice(-2)).toEqual(['user', 'assistant']);
    expect((await server.client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
  });

  it('is ended in the middle of an answer, and what came is recorded', async () => {
    const { fault, release } = held(9);
    api.next(fault);
    const child = claude.start('leaves {{think Well.}}{{say one two three four five six}}');
    await until('the answer streams', async () => proxy.seen.length > sent && proxy.seen.at(-1)!.session !== null);
    child.kill('SIGTERM');
    await once(child, 'close');
    const session = forwarded().at(-1)!.session!;
    await until('what came is recorded', async () => (await roles(session)).includes('assistant'));
    release();
    expect((await server.client.messages(session)).at(-1)!.message.stop_reason).toBe(null);
  });
});
