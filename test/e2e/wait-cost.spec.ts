import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type MeasuredServer, startMeasuredServer } from '../../bench/database-counters.js';
import { percentile } from '../../bench/report.js';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import type { Client } from '../support/client.js';
import { ServerProcess } from '../support/process.js';
import { prepareTemplate } from '../support/template.js';
import { makeTenant } from '../support/tenant.js';

const TURNS = 20;

/** Appends, messages to other processes, the setting that precedes a statement in its own message, and what `reset` asks. */
const IS_NO_READ = /append_events|pg_notify|^SELECT set_config|pg_current_wal_flush_lsn/;

describe('what a client that waits for its turn costs in the database', () => {
  let database: MeasuredServer;
  let counters: pg.Client;
  let token: string;

  beforeAll(async () => {
    database = await startMeasuredServer();
    await prepareTemplate(database.url);
    token = await makeTenant(appLogin(database.url).appUrl, 'waiting');
    counters = new pg.Client({ connectionString: database.url });
    await counters.connect();
  });
  afterAll(async () => {
    await counters?.end();
    await database?.stop();
  });

  /** Statements that read since the counters were last set back: those of a log, and all. */
  async function counted(): Promise<{ readonly log: number; readonly all: number }> {
    const { rows } = await counters.query<{ readonly query: string; readonly calls: number }>(
      `SELECT query, calls::float8 AS calls FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_%'`,
    );
    const calls = (isCounted: (query: string) => boolean): number => rows.filter(({ query }) => isCounted(query)).reduce((sum, row) => sum + row.calls, 0);
    return { log: calls((query) => query.includes('encode(int8send(seq)')), all: calls((query) => !IS_NO_READ.test(query)) };
  }

  /** What is read for a turn: most turns of a session read more only when something is read from time to time, or once more because a machine is busy. */
  async function reads(client: Client, waiting: Client): Promise<{ readonly log: number; readonly all: number }> {
    const id = await client.session();
    const turn = async (): Promise<void> => {
      const { turnId } = (await client.prompt(id, '{{slow 2}}a short prompt')).body;
      await waiting.settled(id, turnId);
    };
    await turn();
    const [log, all]: [number[], number[]] = [[], []];
    for (let count = 0; count < TURNS; count += 1) {
      await database.reset();
      await turn();
      const read = await counted();
      log.push(read.log);
      all.push(read.all);
    }
    return { log: percentile(log, 0.25), all: percentile(all, 0.25) };
  }

  it('is one read of the log for a turn that runs in the process that is asked', async () => {
    const server = await ServerProcess.start({ LOG_LEVEL: 'silent', DATABASE_URL: database.url });
    try {
      const { log, all } = await reads(server.client(token), server.client(token));
      expect(log).toBe(1);
      expect(all).toBe(1);
    } finally {
      await server.stop();
    }
  });

  it('is one more for its end where the turn runs in another process', async () => {
    const settings = { LOG_LEVEL: 'silent', DATABASE_URL: database.url };
    const servers = [await ServerProcess.start(settings), await ServerProcess.start({ ...settings, ROLE: 'api' })] as const;
    try {
      const { log } = await reads(servers[0].client(token), servers[1].client(token));
      expect(log).toBeGreaterThanOrEqual(1);
      expect(log).toBeLessThanOrEqual(2);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
});
