import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PostgresLiveBus } from '../../src/platform/live/postgres-live-bus.js';
import { POSTGRES_APPLICATION_NAME } from '../../src/platform/live/postgres-transport.js';
import { DEFAULT_BUCKETS } from '../../src/platform/live/shared-live-bus.js';
import { ALL, deltasOf } from '../../src/platform/live/topics.js';
import { freshDatabase } from '../support/database.js';
import { Gathered } from '../support/gathered-attachments.js';
import { liveBusContract, type LiveBusServer } from './live-bus.contract.js';

async function start(): Promise<LiveBusServer> {
  const database = await freshDatabase();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  return {
    open: (options) => new PostgresLiveBus({ url: database.appUrl, ...options }),
    killConnections: async (which) => {
      await owner.query(
        'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 AND ($2 OR query NOT LIKE $3)',
        [POSTGRES_APPLICATION_NAME, which === 'all', 'LISTEN%'],
      );
    },
    close: async () => {
      await owner.end();
      await database.drop();
    },
  };
}

describe('the live bus on Postgres', () => {
  liveBusContract(start);

  it('ignores and reports foreign messages on its channel', async () => {
    const database = await freshDatabase();
    const problems = new Gathered<string>();
    const bus = new PostgresLiveBus({ url: database.appUrl, report: (problem) => problems.add(problem) });
    const connection = new pg.Client({ connectionString: database.ownerUrl });
    await connection.connect();
    try {
      await bus.listening();
      for (const payload of ['', 'nonsense', 'x 1 0/1 {"not":"a list"}', 'x 1 0/1 [["advanced","s"]]', 'x 1 0/1 [["hello",true,0]]']) {
        await connection.query('SELECT pg_notify($1, $2)', [`verbatim_live ${ALL}`, payload]);
      }
      bus.subscribe('s', () => undefined);
      await bus.received('s');
      await connection.query('SELECT pg_notify($1, $2)', [`verbatim_live ${deltasOf('s', DEFAULT_BUCKETS)}`, 'x 1 0/1 s event 1']);
      expect(await problems.count(6)).toEqual(Array(6).fill(expect.stringMatching(/not a batch/)));
    } finally {
      await connection.end();
      await bus.close();
      await database.drop();
    }
  });

  it('keeps reconnecting while the server is down, and reports it once', async () => {
    const problems = new Gathered<string>();
    const bus = new PostgresLiveBus({ url: 'postgresql://nobody@127.0.0.1:1/none', report: (problem) => problems.add(problem) });
    await problems.count(1);
    bus.publish({ kind: 'advanced', sessionId: 's', seq: 1 });
    await expect(bus.ping()).rejects.toThrow(/receiving connection is down/);
    await bus.close();
    expect(new Set(problems.items).size).toBe(problems.items.length);
  });
});
