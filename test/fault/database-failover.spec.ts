import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, expectStatus, freshKey } from '../support/client.js';
import { expectNothingLost } from '../support/ledger.js';
import { ReplicatedPostgres } from '../support/replicated-postgres.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const WRITERS = 8;
const RETRY_MS = 100;

let postgres: ReplicatedPostgres;
let server: TestServer;

beforeAll(async () => {
  postgres = await ReplicatedPostgres.start('verbatim');
  server = await startTestServer(
    { DATABASE_URL: postgres.url, DATABASE_TIMEOUT_MS: '10000' },
    { ownerUrl: postgres.url, appUrl: '', drop: async () => undefined },
  );
});
afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
});

/** Sends a prompt with its key until it is acknowledged. */
async function acknowledged(client: Client, sessionId: string, input: string): Promise<string> {
  const key = freshKey();
  for (;;) {
    const { status, body } = await client.post(`/v1/sessions/${sessionId}/prompts`, { input }, key);
    if (status === 202) return body.promptId;
    expect(status).toBe(503);
    await pause(RETRY_MS);
  }
}

describe('a server with the addresses of a primary and its standby', () => {
  it('continues with the standby once that is promoted, under load, and loses no acknowledged prompt', async () => {
    const { client } = server;
    const sessions = await Promise.all(Array.from({ length: WRITERS }, () => client.session()));
    const prompts = new Map<string, string[]>(sessions.map((id) => [id, []]));
    let isOver = false;
    const writers = sessions.map(async (id) => {
      for (let index = 0; !isOver; index += 1) prompts.get(id)!.push(await acknowledged(client, id, `{{slow 5}} prompt ${index}`));
    });
    const count = (): number => [...prompts.values()].flat().length;
    await until('the writers are at work', async () => count() > 3 * WRITERS);
    await postgres.failOver();
    const before = count();
    await until('the writers go on', async () => count() > before + 3 * WRITERS);
    isOver = true;
    await Promise.all(writers);
    await until('the server is ready', async () => (await client.get('/health/ready')).status === 200);
    for (const id of sessions) {
      await until('the session is at rest', async () => expectStatus(await client.get(`/v1/sessions/${id}`), 200).body.status === 'idle');
      await expectNothingLost(client, id, prompts.get(id)!);
    }
  });
});
