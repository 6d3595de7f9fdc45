import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('readers of several processes, while turns run in another', () => {
  let database: TestDatabase;
  let worker: TestServer;
  let many: TestServer;
  let few: TestServer;

  beforeAll(async () => {
    database = await freshDatabase();
    worker = await startTestServer({ ROLE: 'worker' }, database);
    many = await startTestServer({ ROLE: 'api' }, database, worker.client.token);
    few = await startTestServer({ ROLE: 'api' }, database, worker.client.token);
  });
  afterAll(async () => {
    await Promise.all([many, few, worker].map((server) => server?.stop()));
    await database?.drop();
  });

  /** The deltas that a process has parsed so far. */
  async function parsed(client: Client): Promise<number> {
    const { body } = await client.get<string>('/metrics');
    return Number(/^verbatim_live_received_total\{[^}]*kind="delta"[^}]*\} (\d+)/m.exec(body)?.[1] ?? 0);
  }

  /** One turn, read from before its prompt to its end. Returns its deltas and what they must add up to. */
  async function turn(client: Client): Promise<{ readonly deltas: number; readonly text: string; readonly answer: string }> {
    const id = await client.session();
    const stream = await client.stream(id);
    await stream.untilType('synced');
    await client.prompt(id, '{{slow 2}}{{long 60}}');
    await stream.untilType('turn.completed');
    const live = stream.events.filter(({ event }) => event === 'message.delta' || event === 'queue.changed' || event === 'tool.progress');
    const texts = live.flatMap(({ data }) => [data.start?.text ?? '', data.delta?.text ?? ''] as readonly string[]);
    const answers = (await client.messages(id)).filter((message) => message.type === 'assistant');
    stream.close();
    return {
      deltas: live.length,
      text: texts.join(''),
      answer: answers.flatMap(({ message }) => message.content.map((block: { text?: string }) => block.text ?? '')).join(''),
    };
  }

  it('each get every delta of their own sessions, and their process parses no others', async () => {
    const before = [await parsed(many.client), await parsed(few.client)] as const;
    const [atMany, atFew] = await Promise.all([Promise.all(Array.from({ length: 12 }, () => turn(many.client))), turn(few.client)]);
    for (const { text, answer } of [...atMany, atFew]) {
      expect(text).not.toBe('');
      expect(text).toBe(answer);
    }
    const sum = atMany.reduce((total, { deltas }) => total + deltas, 0);
    expect((await parsed(few.client)) - before[1]).toBeLessThanOrEqual(atFew.deltas + 2); // deltas that arrive after the end are parsed, too
    expect((await parsed(many.client)) - before[0]).toBeLessThanOrEqual(sum + 24);
  });
});
