import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg, { type Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';

const MODEL = 'claude-opus-4-5';
const user = (content: string) => ({ role: 'user', content });

/** A conversation as its client keeps it. */
interface Conversation {
  readonly history: object[];
  readonly sessions: string[];
}

describe('conversations without a name that begin alike', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;
  let owner: Connection;

  beforeAll(async () => {
    api = await startStandIn();
    server = await startTestServer({ ANTHROPIC_BASE_URL: api.url });
    owner = await connect(server.database.ownerUrl, 60_000);
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
    await api.close();
  });
  beforeEach(async () => {
    client = await server.tenant(randomUUID());
  });

  /** The client asks, the model answers with `text`, and the client keeps both. */
  async function ask({ history, sessions }: Conversation, question: string, text: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    history.push(user(question));
    const answer = { id: `msg_${text}`, type: 'message', role: 'assistant', model: MODEL, content: [{ type: 'text', text }], stop_reason: 'end_turn' };
    const page = JSON.stringify({ ...answer, usage: { input_tokens: 1, output_tokens: 1 } });
    api.next({ kind: 'page', status: 200, contentType: 'application/json', text: page });
    const response = await fetch(`${server.running.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', authorization: `Bearer ${client.token}`, ...headers },
      body: JSON.stringify({ model: MODEL, max_tokens: 100, messages: history }),
    });
    expect(response.status).toBe(200);
    const { content } = (await response.json()) as UnknownObject;
    history.push({ role: 'assistant', content });
    sessions.push(response.headers.get('x-verbatim-session')!);
  }

  async function opened(many: number, answer = (n: number) => `hello ${n}`): Promise<readonly Conversation[]> {
    const all = Array.from({ length: many }, (): Conversation => ({ history: [], sessions: [] }));
    for (const [n, one] of all.entries()) await ask(one, 'Hi', answer(n));
    return all;
  }

  const histories = async (session: string): Promise<number> =>
    (await owner.query(`SELECT FROM thread_answer WHERE session_id = $1 AND starts_with(answer_id, 'history ')`, [session])).rowCount!;

  it('are each continued in their own session, the one that was used least recently first, and nothing of them is copied', async () => {
    const all = await opened(20);
    // What is asked and answered is the same in all of them: only what came first tells them apart.
    for (const turn of [1, 2]) for (const one of all) await ask(one, `and ${turn}?`, `so ${turn}`);
    for (const { sessions } of all) {
      expect(new Set(sessions).size).toBe(1);
      expect((await client.messages(sessions[0]!)).length).toBe(6);
      expect((await client.get(`/v1/sessions/${sessions[0]}/branches`)).body.data.length).toBe(1);
    }
    expect(new Set(all.map(({ sessions }) => sessions[0])).size).toBe(20);
  });

  it('are found by an earlier answer when the client has changed the last one', async () => {
    const all = await opened(10);
    const [first] = all;
    for (const one of all) await ask(one, 'and?', 'so');
    first!.history[3] = { role: 'assistant', content: 'as the client would have it' };
    await ask(first!, 'and then?', 'changed');
    expect(new Set(first!.sessions).size).toBe(1);
    expect((await client.messages(first!.sessions[0]!)).length).toBe(6);
  });

  it('that were answered alike, too, are never more sessions than conversations, and the right one is open', async () => {
    const all = await opened(10, () => 'hello');
    expectStatus(await client.post(`/v1/sessions/${all[0]!.sessions[0]}/close`), 200);
    for (const turn of [1, 2]) for (const [n, one] of all.entries()) await ask(one, `${n} asks`, `${n} at ${turn}`);
    const open = new Set(all.slice(1).map(({ sessions }) => sessions[0]));
    for (const { sessions } of all) {
      expect(open.has(sessions[1]!)).toBe(true);
      expect(sessions[2]).toBe(sessions[1]);
    }
  });

  it('leave no digest of what was erased, and one that was erased begins again in one session', async () => {
    const all = await opened(10);
    const [erased, partly] = all;
    const [gone, kept] = [erased!.sessions[0]!, partly!.sessions[0]!];
    expect([await histories(gone), await histories(kept)]).toEqual([1, 1]);
    expectStatus(await client.call('DELETE', `/v1/sessions/${gone}`), 202);
    const [message] = await client.messages(kept);
    expectStatus(await client.call('DELETE', `/v1/sessions/${kept}/messages/${message!.uuid}`), 202);
    expect([await histories(gone), await histories(kept)]).toEqual([0, 0]);
    for (const turn of [1, 2]) for (const one of all) await ask(one, `and ${turn}?`, `so ${turn}`);
    for (const { sessions } of [erased!, partly!]) {
      expect(sessions[1]).not.toBe(sessions[0]);
      expect(sessions[2]).toBe(sessions[1]);
    }
    for (const { sessions } of all.slice(2)) expect(new Set(sessions).size).toBe(1);
  });

  it('cost one statement to find and one to keep, however many there are; those with a name cost none', async () => {
    const all = await opened(12);
    const named = { 'x-claude-code-session-id': 'named' };
    const own: Conversation = { history: [], sessions: [] };
    await ask(own, 'Hi', 'hello', named);
    const counted = async (work: () => Promise<void>): Promise<readonly number[]> => {
      const query = jest.spyOn(pg.Client.prototype, 'query');
      try {
        await work();
        const texts = (query.mock.calls as unknown as readonly (readonly unknown[])[]).map(([one]) =>
          typeof one === 'string' ? one : (one as { text: string }).text,
        );
        return [/SELECT [^]*FROM thread_answer/, /INSERT INTO thread_answer/, /session_summary/].map(
          (pattern) => texts.filter((text) => pattern.test(text)).length,
        );
      } finally {
        query.mockRestore();
      }
    };
    expect(await counted(() => ask(all[0]!, 'and?', 'so'))).toEqual([1, 1, 0]);
    expect(await counted(() => ask(own, 'and?', 'so', named))).toEqual([0, 0, 0]);
  });
});
