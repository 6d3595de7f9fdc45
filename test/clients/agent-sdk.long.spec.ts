import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@verbatim/client';
import type * as Package from '../../clients/session-store/dist/index.js';
import { describeWith } from '../support/needs.js';
import type { UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { CONTRACTS, type Store } from '../support/session-store-contracts.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';
import { ClientProgram, type Outcome, STOCK_CLIENTS } from './client-program.js';
import { judged } from './judged.js';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describeWith(STOCK_CLIENTS)('the stock Agent SDK at the Anthropic door', () => {
  let api: StandIn;
  let server: TestServer;
  let proxy: RecordingProxy;
  let program: ClientProgram;
  let home: string;
  beforeAll(async () => {
    api = await startStandIn({ apiKey: 'upstream-key' });
    server = await startTestServer({ ANTHROPIC_API_KEY: 'upstream-key', ANTHROPIC_BASE_URL: api.url });
    proxy = await startRecordingProxy(() => server.running.url);
    home = await mkdtemp(path.join(tmpdir(), 'agent-sdk-'));
    program = new ClientProgram('agent-sdk', {
      HOME: home,
      PROXY: proxy.url,
      BASE_URL: `${proxy.url}/anthropic`,
      SERVER: server.running.url,
      API_KEY: server.client.token!,
    });
  });
  afterAll(async () => {
    await program.stop();
    await rm(home, { recursive: true });
    await proxy.close();
    await server.stop();
    await api.close();
  });
  afterEach(() => expect(proxy.elsewhere).toEqual([]));

  /** Runs a scenario, shows that the model API got the bytes that the client has sent, and gives the sessions that they are in. */
  const run = async (scenario: string, argument: unknown): Promise<{ readonly outcome: Outcome; readonly sessions: readonly string[] }> => {
    const [sent, received] = [proxy.seen.length, api.received.length];
    const outcome = await program.run(scenario, argument);
    const seen = proxy.seen.slice(sent);
    expect(api.received.slice(received).map(({ body }) => sha256(body))).toEqual(seen.map((one) => one.sha256));
    expect(judged(api.received.slice(received))).toEqual([]);
    return { outcome, sessions: [...new Set(seen.map(({ session }) => session!))] };
  };
  const roles = async (session: string): Promise<readonly string[]> => (await server.client.messages(session)).map(({ type }) => type as string);

  it('resumes a conversation in the same session', async () => {
    const { outcome, sessions } = await run('turns', ['one {{think Well.}}{{say one}}', 'two {{think Well.}}{{say two}}']);
    expect(outcome).toEqual({ result: ['one', 'two'] });
    expect(sessions.length).toBe(1);
    expect(await roles(sessions[0]!)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('runs a tool of the app', async () => {
    const { outcome, sessions } = await run('tool', 'sum {{think Well.}}{{tool mcp__sums__add {"a":2,"b":40}}}');
    expect(outcome).toEqual({ result: expect.stringContaining('42') });
    expect(sessions.length).toBe(1);
    expect(await roles(sessions[0]!)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('continues the same session on another computer, with a session store', async () => {
    const { outcome, sessions } = await run('moves', ['here {{think Well.}}{{say here}}', 'there {{think Well.}}{{say there}}']);
    expect(outcome).toEqual({ result: ['here', 'there', true] });
    expect(sessions.length).toBe(1);
    expect(await roles(sessions[0]!)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect((await server.client.get(`/v1/sessions/${sessions[0]}/branches`)).body.data.length).toBe(1);
    expect((await server.client.get(`/v1/sessions/${sessions[0]}/audit`)).body).toMatchObject({ valid: true });
  });

  it('has contracts that its own store and this one fulfil', async () => {
    const sdk = (await import(path.resolve('test/clients/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs'))) as {
      readonly InMemorySessionStore: new () => Store;
      readonly foldSessionSummary: Package.FoldSessionSummary;
    };
    const { VerbatimSessionStore } = (await import(path.resolve('clients/session-store/dist/index.js'))) as typeof Package;
    const client = createClient({ baseUrl: server.running.url, token: server.client.token! });
    const stores = [new sdk.InMemorySessionStore(), new VerbatimSessionStore({ client, foldSessionSummary: sdk.foldSessionSummary })];
    for (const store of stores) for (const holds of Object.values(CONTRACTS)) await holds(store);
  });

  it('keeps its session file here, resumes it on another computer, lists, reads and deletes it', async () => {
    const { outcome, sessions } = await run('keeps', ['here {{think Well.}}{{say here}}', 'there {{think Well.}}{{say there}}']);
    const { id, ...kept } = outcome.result as UnknownObject;
    expect(kept).toEqual({
      texts: ['here', 'there'],
      isSame: true,
      listed: [[true, 'here {{think Well.}}{{say here}}']],
      roles: ['user', 'assistant', 'assistant', 'user', 'assistant', 'assistant'],
      errors: [],
    });
    const rows = (await server.client.get(`/v1/sessions?metadata=${encodeURIComponent(JSON.stringify({ sessionFile: { session: id } }))}`)).body.data;
    expect([rows.length, sessions.includes(rows[0].id)]).toEqual([1, false]);
    const said = (await server.client.messages(rows[0].id)).map(({ type }) => type).filter((type) => type === 'user' || type === 'assistant');
    expect(said).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect((await server.client.get(`/v1/sessions/${rows[0].id}/audit`)).body).toMatchObject({ valid: true });
    expect(await program.run('deletes', id)).toEqual({ result: 0 });
    expect((await server.client.get(`/v1/sessions/${rows[0].id}/erasures`)).body.data.length).toBe(1);
  });
});
