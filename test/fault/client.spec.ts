import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, createClient, type StreamedEvent } from '@verbatim/client';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { ServerProcess } from '../support/process.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';
import { makeTenant } from '../support/tenant.js';

/** Short, so that a lost worker is noticed soon. */
const HASTY = { JOB_LOCK_MS: '1000', STALLED_AFTER_MS: '2000', LOG_LEVEL: 'warn' };

let database: TestDatabase;
let token: string;
let server: ServerProcess;
let api: StandIn;
const start = () => ServerProcess.start({ ...HASTY, DATABASE_URL: database.ownerUrl, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url });

beforeAll(async () => {
  api = await startStandIn();
  database = await freshDatabase();
  token = await makeTenant(database.appUrl, 'client');
  server = await start();
});
afterAll(async () => {
  await server.kill();
  await api.close();
  await database.drop();
});

it('a client misses no event and repeats none when the server is killed while an answer streams', async () => {
  // Stands in for the load balancer: the address stays, the server does not.
  let streams = 0;
  const client = createClient({
    baseUrl: 'http://server',
    token,
    fetch: (input, init) => {
      if ((input as string).endsWith('/stream')) streams += 1;
      return fetch((input as string).replace('http://server', server.url), init);
    },
  });
  const { id } = await client.createSession();
  const events: StreamedEvent[] = [];
  api.next({ kind: 'stall', after: 20 }); // the answer streams for as long as the server lives
  let prompt: ReturnType<Client['submitPrompt']> | null = null;
  let killed: Promise<void> | null = null;
  for await (const event of client.events({ id })) {
    events.push(event);
    if (event.type === 'synced') prompt ??= client.submitPrompt({ id, body: { input: '{{long 300}}' } });
    if (event.type === 'message.delta') killed ??= server.kill().then(async () => void (server = await start()));
    if (event.type === 'turn.completed') break;
  }
  await killed;
  const received = events.flatMap((event) => ('seq' in event ? [event] : []));
  const { data } = await client.listEvents({ id, limit: 1_000 });
  expect(received).toEqual(data);
  expect(streams).toBeGreaterThan(1);
  const again = await client.getTurn({ id, turnId: (await prompt!).turnId! });
  expect(again.status).toBe('completed');
});
