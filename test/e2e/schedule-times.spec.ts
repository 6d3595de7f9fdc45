import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { expectStatus, type UnknownObject } from '../support/client.js';
import { startToolServer, type ToolServer } from '../support/tool-server.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const TOOLS = [{ name: 'lookup', input_schema: { type: 'object' } }];

const ahead = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

describe('a schedule', () => {
  let server: ToolServer;
  let owner: Connection;

  beforeAll(async () => {
    server = await startToolServer({ OUTBOX_POLL_MS: '50' });
    owner = await connect(server.database.ownerUrl, 60_000);
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
  });

  const ofType = async (id: string, type: string): Promise<readonly UnknownObject[]> => (await server.client.events(id)).filter((event) => event.type === type);
  const ranTimes = (id: string, times: number) => until('the schedule has run', async () => (await ofType(id, 'schedule.ran')).length === times);

  /** A session whose turn waits for a person, and a run that was skipped for it. */
  async function skipped(): Promise<{ readonly id: string; readonly turnId: string }> {
    const { client } = server;
    const id = await client.session({ tools: TOOLS });
    const { turnId, status } = await client.ask(id, '{{tool lookup {"key":"x"}}}');
    expect(status).toBe('waiting');
    expectStatus(await client.post(`/v1/sessions/${id}/schedules`, { input: 'hello', everySeconds: 3_600, firstRunAt: ahead(-MINUTE_MS) }), 201);
    await ranTimes(id, 1);
    expect((await ofType(id, 'schedule.ran'))[0].data.outcome).toBe('skipped');
    return { id, turnId };
  }

  it('whose run is skipped is no change of the session: a turn that waits expires as if there were none', async () => {
    const { client } = server;
    const { id, turnId } = await skipped();
    const [set] = await ofType(id, 'schedule.set');
    const view = (await client.get(`/v1/sessions/${id}`)).body;
    expect([view.updatedAt, view.version]).toEqual([set.time, (await client.events(id)).at(-1)!.seq]);
    const rows: readonly UnknownObject[] = (await client.get('/v1/sessions')).body.data;
    expect(rows.find((row) => row.id === id)!.updatedAt).toBe(set.time);
    await server.expiredWaits.expire(-MINUTE_MS);
    expect((await client.settled(id, turnId)).status).toBe('completed');
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
  });

  it('whose skipped runs an earlier build has counted as changes does not keep a turn waiting', async () => {
    const { id, turnId } = await skipped();
    await owner.query(`UPDATE session SET updated_at = updated_at + interval '1 minute' WHERE session_id = $1`, [id]);
    await server.expiredWaits.expire(-2 * MINUTE_MS);
    expect((await server.client.settled(id, turnId)).status).toBe('completed');
  });

  it('whose run submits a prompt changes the session', async () => {
    const { client } = server;
    const id = await client.session();
    expectStatus(await client.post(`/v1/sessions/${id}/schedules`, { input: 'hello', everySeconds: 3_600, firstRunAt: ahead(-MINUTE_MS) }), 201);
    await ranTimes(id, 1);
    await client.settled(id, (await ofType(id, 'prompt.submitted'))[0].data.submission.turnId);
    const last = (await client.events(id)).at(-1)!;
    expect((await client.get(`/v1/sessions/${id}`)).body.updatedAt).toBe(last.time);
  });
});
