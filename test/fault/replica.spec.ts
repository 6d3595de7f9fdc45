import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { loginAt } from '../../src/platform/config/database-url.js';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { type Client, expectStatus } from '../support/client.js';
import { ServerProcess } from '../support/process.js';
import { ReplicatedPostgres } from '../support/replicated-postgres.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

const OPERATOR_TOKEN = 'an operator token of 32 characters';

let postgres: ReplicatedPostgres;
let owner: pg.Client;
let token: string;
/** Where everything is written; all its reads are on the primary. */
let writing: Client;
const running: ServerProcess[] = [];

async function startServer(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'warn',
    DATABASE_URL: postgres.primaryUrl,
    DATABASE_TIMEOUT_MS: '60000',
    OPERATOR_TOKEN,
    ...settings,
  });
  running.push(server);
  return server;
}

/** The address has no login: that of the application is used. */
const standbyAddress = (): string => postgres.standbyUrl.replace(/\/\/[^@]*@/, '//');

const startReading = (waitMs: number): Promise<ServerProcess> =>
  startServer({ ROLE: 'api', DATABASE_READ_URL: standbyAddress(), DATABASE_READ_WAIT_MS: String(waitMs), DATABASE_READ_SILENCE_MS: '60000' });

/** Reads for standbys by who has answered them. */
async function outcomesOf(server: ServerProcess): Promise<Readonly<Record<string, number>>> {
  const { body } = expectStatus(await server.client(OPERATOR_TOKEN).get<string>('/metrics'), 200);
  return Object.fromEntries(
    [...body.matchAll(/^verbatim_replica_reads_total\{outcome="(\w+)"\} (\d+)/gm)].map(([, outcome, count]) => [outcome!, Number(count)]),
  );
}

beforeAll(async () => {
  postgres = await ReplicatedPostgres.start('verbatim', { isSynchronous: false });
  const server = await startServer({});
  token = await makeTenant(appLogin(postgres.primaryUrl).appUrl, 'one');
  writing = server.client(token);
  owner = new pg.Client(postgres.primaryUrl);
  await owner.connect();
});
afterEach(async () => {
  await setSynchronous(''); // or no server could stop
  await Promise.all(running.splice(1).map((server) => server.stop()));
});
afterAll(async () => {
  await owner?.end();
  await Promise.all(running.map((server) => server.stop()));
  await postgres?.stop();
});

describe('a server that reads on a standby', () => {
  it('answers as one that reads on the primary, from the standby', async () => {
    const id = await writing.session({ title: 'a title to find' });
    const turns = [await writing.ask(id, '{{say hello}}'), await writing.ask(id, 'a word to find: banana')];
    const { requests } = expectStatus(await writing.get(`/v1/sessions/${id}/turns/${turns[1]!.turnId}`), 200).body;
    const reading = await startReading(600_000);
    const client = reading.client(token);
    const session = `/v1/sessions/${id}`;
    const paths = [
      '/v1/sessions',
      '/v1/sessions?title=find',
      '/v1/search?q=banana',
      '/v1/usage?groupBy=model',
      session,
      `${session}/events`,
      `${session}/messages?view=full`,
      `${session}/requests`,
      `${session}/requests/${requests[0].requestId}`,
      `${session}/payload`,
      `${session}/payload?at=5`,
      `${session}/export?format=jsonl`,
      `${session}/markdown`,
      `${session}/audit`,
    ];
    for (const path of paths) {
      const [read, written] = [await client.get(path), await writing.get(path)];
      expect([path, read.status, read.body]).toEqual([path, 200, written.body]);
    }
    const { standby, ...others } = await outcomesOf(reading);
    expect(standby).toBeGreaterThan(10);
    expect(others).toEqual({});
    expect(reading.printed()).not.toMatch(/standby/);
  });

  it('shows each client what another process has acknowledged, while replay stops and runs', async () => {
    const reading = await startReading(20);
    const client = reading.client(token);
    let isOver = false;
    const toggling = (async () => {
      while (!isOver) {
        await postgres.pauseReplay();
        await pause(50);
        await postgres.resumeReplay();
        await pause(400);
      }
    })();
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const id = await writing.session();
        const listed = expectStatus(await client.get('/v1/sessions?limit=20'), 200).body.data;
        expect(listed.map((session: { id: string }) => session.id)).toContain(id);
        expect(expectStatus(await client.get(`/v1/sessions/${id}/events`), 200).body.data.length).toBeGreaterThan(0);
      }
    });
    const answered = until('both have answered', async () => {
      const { standby = 0, lagging = 0 } = await outcomesOf(reading);
      return standby > 50 && lagging > 2;
    });
    await Promise.race([answered, Promise.all(clients)]);
    isOver = true;
    await Promise.all([...clients, toggling]);
  });

  it('keeps and reports nothing that the primary does not have: a commit that waits for its synchronous standby', async () => {
    const reading = await startReading(600_000); // it does not know the session
    const client = reading.client(token);
    const id = await writing.session();
    await writing.ask(id, '{{say hello}}');
    const { version } = expectStatus(await writing.get(`/v1/sessions/${id}`), 200).body;
    await setSynchronous('away');
    const prompt = writing.prompt(id, '{{say more}}');
    await until('the standby shows what the primary does not', async () => (await lastSeqOn(postgres.standbyUrl, id)) > version);
    expect(await lastSeqOn(postgres.primaryUrl, id)).toBe(version);
    expect(expectStatus(await client.get(`/v1/sessions/${id}`), 200).body.version).toBe(version);
    expect(expectStatus(await client.get(`/v1/sessions/${id}/audit`), 200).body).toMatchObject({ valid: true, events: version });
    expect(expectStatus(await client.get(`/v1/sessions/${id}/export?format=jsonl`), 200).body).toEqual(
      (await writing.get(`/v1/sessions/${id}/export?format=jsonl`)).body,
    );
    expect(Object.keys(await outcomesOf(reading))).toEqual(['standby']);
    await setSynchronous('');
    const { turnId } = expectStatus(await prompt, 202).body;
    await writing.settled(id, turnId);
    expect(expectStatus(await client.get(`/v1/sessions/${id}/audit`), 200).body.valid).toBe(true);
    expect(await client.messages(id)).toEqual(await writing.messages(id));
  });

  it('starts and is ready without the standby, and refuses to start with the standby of another database', async () => {
    const other = loginAt(postgres.standbyUrl.replace(/[^/]*$/, 'postgres'), postgres.primaryUrl);
    await expect(startServer({ DATABASE_READ_URL: other })).rejects.toThrow(/another database than that of DATABASE_URL/);
    await postgres.killStandby();
    const reading = await startReading(50);
    const client = reading.client(token);
    expectStatus(await client.get('/health/ready'), 200);
    for (let index = 0; index < 5; index += 1) {
      const id = await client.session();
      const [first] = expectStatus(await client.get('/v1/sessions?limit=1'), 200).body.data;
      expect(first.id).toBe(id);
    }
    expect(Object.keys(await outcomesOf(reading)).toSorted()).toEqual(['lost', 'paused']);
    expect(reading.printed()).toMatch(/is not used for reads \(lost\)/);
  });
});

async function setSynchronous(standby: string): Promise<void> {
  await owner.query('SET synchronous_commit TO off');
  await owner.query(`ALTER SYSTEM SET synchronous_standby_names = ${pg.escapeLiteral(standby)}`);
  await owner.query('SELECT pg_reload_conf()');
  const setting = async () => (await owner.query<{ synchronous_standby_names: string }>('SHOW synchronous_standby_names')).rows[0]!.synchronous_standby_names;
  await until('the server knows', async () => (await setting()) === standby);
}

async function lastSeqOn(url: string, sessionId: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return Number((await client.query<{ seq: string }>('SELECT max(seq) AS seq FROM event WHERE session_id = $1', [sessionId])).rows[0]!.seq);
  } finally {
    await client.end();
  }
}
