import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Chance } from '../support/random.js';
import type { Client, UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type AcceptedPrompt, expectLedger } from '../support/ledger.js';
import { startTestServer, type TestServer } from '../support/server.js';

const SESSIONS = 4;
const SUBMITTERS = 6;
const EACH = 6;

let database: TestDatabase;
let servers: readonly TestServer[];
let clients: readonly Client[];

beforeAll(async () => {
  database = await freshDatabase();
  const first = await startTestServer({}, database);
  servers = [first, await startTestServer({}, database, first.client.token)];
  clients = servers.map(({ client }) => client);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

it('turns run in the order in which their prompts were accepted, through any process', async () => {
  const chance = new Chance(11);
  const ids = await Promise.all(Array.from({ length: SESSIONS }, () => clients[0]!.session()));
  const streams = await Promise.all(ids.map((id) => clients[1]!.stream(id)));
  const sent = await Promise.all(
    ids.map(async (id) => {
      const accepted: AcceptedPrompt[] = [];
      const submitter = async (number: number): Promise<void> => {
        for (let index = 0; index < EACH; index += 1) {
          const sentAt = performance.now();
          const { status, body } = await chance.of(clients)!.prompt(id, `${number}: ${index}`);
          expect(status).toBe(202);
          accepted.push({ promptId: body.promptId, sentAt, acceptedAt: performance.now() });
        }
      };
      await Promise.all(Array.from({ length: SUBMITTERS }, (_, number) => submitter(number)));
      return accepted;
    }),
  );
  for (const [index, id] of ids.entries()) {
    let ended = 0;
    await streams[index]!.until((event) => event.event === 'turn.completed' && (ended += 1) === SUBMITTERS * EACH);
    streams[index]!.close();
    await expectLedger(clients[0]!, id, { prompts: sent[index]! });
    // A reader received every change of the queue.
    const events: readonly UnknownObject[] = streams[index]!.events;
    const queued = events.filter(({ event }) => event === 'prompt.queued').map(({ data }) => data.data.promptId);
    const changes = events.filter(({ event }) => event === 'queue.changed').map(({ data }) => `${data.change} ${data.promptId}`);
    expect(changes).toEqual(expect.arrayContaining(queued.flatMap((promptId) => [`prompt.queued ${promptId}`, `turn.started ${promptId}`])));
  }
});
