import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Client, UnknownObject } from '../support/client.js';
import { describeWithRedis, LONG_TESTS } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';

const SLOTS = 10;
const SHARE = 8;
const FLOOD = 500;

describe('fair shares', () => shares({}));
describeWithRedis('shares of the workers, with Redis', (url) => shares({ REDIS_URL: url }), LONG_TESTS);

function shares(environment: Record<string, string>): void {
  let server: TestServer;
  let owner: pg.Client;

  beforeAll(async () => {
    server = await startTestServer({ ...environment, WORKER_CONCURRENCY: String(SLOTS), TENANT_CONCURRENCY: String(SHARE), SHUTDOWN_GRACE_MS: '1' });
    owner = new pg.Client({ connectionString: server.database.ownerUrl });
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
  });

  /** Turns of others that were begun between this prompt's acceptance and the beginning of its own turn. */
  async function begunBefore(client: Client, sessionId: string, turnId: string): Promise<number> {
    const events: readonly UnknownObject[] = await client.events(sessionId);
    const at = (type: string): string => events.find((event) => event.type === type && (event.data.turnId ?? event.data.submission.turnId) === turnId).id;
    const { rows } = await owner.query<{ begun: number }>(
      `SELECT count(*)::int AS begun FROM event e, event accepted, event prepared
        WHERE e.type = 'turn.prepared' AND accepted.event_id = $1 AND prepared.event_id = $2 AND e.position > accepted.position AND e.position < prepared.position`,
      [at('prompt.submitted'), at('turn.prepared')],
    );
    return rows[0]!.begun;
  }

  it(`start a prompt of one tenant before ${SLOTS} others, though another has ${FLOOD} sessions waiting`, async () => {
    const [greedy, modest] = [await server.tenant('greedy'), await server.tenant('modest')];
    const ids: string[] = [];
    for (let made = 0; made < FLOOD; made += 50) ids.push(...(await Promise.all(Array.from({ length: 50 }, () => greedy.session()))));
    for (let sent = 0; sent < FLOOD; sent += 50) await Promise.all(ids.slice(sent, sent + 50).map((id) => greedy.prompt(id, '{{slow 200}}{{long 25}}')));
    const { rows } = await owner.query<{ out: number; waiting: number }>(
      'SELECT count(*) FILTER (WHERE leased)::int AS out, count(*) FILTER (WHERE NOT leased)::int AS waiting FROM outbox',
    );
    expect(rows[0]!.waiting).toBeGreaterThan(SLOTS * SHARE);
    expect(rows[0]!.out).toBeLessThanOrEqual(SHARE);

    const id = await modest.session();
    for (let round = 0; round < 3; round += 1) {
      const turn = await modest.ask(id, 'a single prompt');
      expect(turn.status).toBe('completed');
      expect(await begunBefore(modest, id, turn.turnId)).toBeLessThanOrEqual(SLOTS);
    }
    const after = await owner.query<{ waiting: number }>('SELECT count(*)::int AS waiting FROM outbox');
    expect(after.rows[0]!.waiting).toBeGreaterThan(SLOTS);
  });

  it('do not delay a session by the queue of another session of the same tenant', async () => {
    const client = await server.tenant('two sessions');
    const [busy, other] = [await client.session(), await client.session()];
    const prompts = await Promise.all(Array.from({ length: 40 }, () => client.prompt(busy, '{{slow 1000}}{{long 100}}')));
    expect((await client.ask(other, 'meanwhile')).status).toBe('completed');
    const queue: readonly UnknownObject[] = (await client.get(`/v1/sessions/${busy}/queue`)).body.data;
    expect(queue.length).toBeGreaterThan(prompts.length - 5);
    expect(queue.map(({ position, reason }) => [position, reason])).toEqual(queue.map((_, index) => [index + 1, 'turn_running']));
  });
}
