import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { type TestDatabase, freshDatabase } from '../support/database.js';
import type { Held } from '../support/leak-probe.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';
import { mixedLoad } from './mixed-load.js';

/** Rounds of load, four at a time; with LEAK_MINUTES, as many as fit into that time. */
const ROUNDS = 40;
const MINUTES = Number(process.env['LEAK_MINUTES'] ?? 0);
const AT_A_TIME = 4;
/** Fills caches and pools, and lets the compiler finish. */
const WARM_UP_ROUNDS = 30;

/** What may remain after a load of any length: compiled code and the variation of garbage collections. */
const HEAP_SLACK_BYTES = 12 * 1024 * 1024;
const SLACK = 8;

const PROBE = pathToFileURL(path.join(import.meta.dirname, '../support/leak-probe.js')).href;

let database: TestDatabase;
let folder: string;
let server: ServerProcess;
let client: ReturnType<ServerProcess['client']>;

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'verbatim-leaks-'));
  server = await ServerProcess.start({
    DATABASE_URL: database.ownerUrl,
    NODE_OPTIONS: `--import=${PROBE} --trace-warnings`,
    LEAK_PROBE: path.join(folder, 'held'),
    TMPDIR: folder,
    // Small, so that the warm-up fills them.
    SESSION_CACHE_BYTES: '1000000',
    MEDIA_CACHE_BYTES: '1000000',
    MODEL_RETRY_MAX_MS: '100',
    // A machine that is too slow for the load is no leak.
    DATABASE_TIMEOUT_MS: '120000',
  });
  client = server.client(await makeTenant(database.appUrl, 'leaks'));
});
afterAll(async () => {
  await server.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

it(
  'after a mixed load the process and the database hold what they held before',
  async () => {
    await load((done) => done < WARM_UP_ROUNDS);
    const before = await atRest();
    const end = performance.now() + MINUTES * 60_000;
    const { rounds, resets } = await load((done) => done < ROUNDS || performance.now() < end);
    const after = await atRest();
    if (MINUTES > 0) process.stdout.write(`${rounds} rounds: ${JSON.stringify({ resets, before, after })}\n`);
    expect(resets).toBeLessThanOrEqual(Math.ceil(rounds / 100) * AT_A_TIME); // after a pause of the machine each lane may meet one
    expect(after.heapBytes - before.heapBytes).toBeLessThan(HEAP_SLACK_BYTES);
    expect(after.externalBytes - before.externalBytes).toBeLessThan(HEAP_SLACK_BYTES);
    expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(SLACK);
    for (const [kind, count] of Object.entries(after.resources)) expect([kind, count - (before.resources[kind] ?? 0) <= SLACK]).toEqual([kind, true]);
    expect(after.files).toEqual(before.files);
    expect(after.rows).toEqual({ outbox: 0, jobs: 0, importing: 0 });
    expect(after.connections - before.connections).toBeLessThanOrEqual(SLACK);
  },
  (20 + MINUTES) * 60_000,
);

it('Node warns of nothing', () => {
  expect(server.printed().match(/^.*Warning: .*$/gm) ?? []).toEqual([]);
});

/** `resets`: rounds that ended because a request met the end of an idle connection, which the server closes after a while. */
async function load(wanted: (done: number) => boolean): Promise<{ readonly rounds: number; readonly resets: number }> {
  let rounds = 0;
  let resets = 0;
  const lane = async (): Promise<void> => {
    while (wanted(rounds)) {
      rounds += 1;
      await mixedLoad(client).catch((error: Error) => {
        if (!['ECONNRESET', 'UND_ERR_SOCKET'].includes(String((error.cause as { readonly code?: unknown } | undefined)?.code))) throw error;
        resets += 1;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return { rounds, resets };
}

interface State extends Held {
  readonly files: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
  readonly connections: number;
}

/** What is held once nothing runs. Jobs end shortly after their turns, and idle connections close after a while. */
async function atRest(): Promise<State> {
  const admin = new pg.Client(database.ownerUrl);
  await admin.connect();
  const counts = async () =>
    (
      await admin.query<Record<'outbox' | 'jobs' | 'importing' | 'connections', number>>(
        `SELECT (SELECT count(*) FROM outbox)::int AS outbox, (SELECT count(*) FROM bullmq.job)::int AS jobs,
           (SELECT count(*) FROM session WHERE status = 'importing')::int AS importing,
           (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database())::int AS connections`,
      )
    ).rows[0]!;
  await until('no job is left', async () => {
    const { outbox, jobs } = await counts();
    return outbox === 0 && jobs === 0;
  });
  const { connections, ...rows } = await counts();
  await admin.end();
  const file = path.join(folder, 'held');
  const lines = async (): Promise<readonly string[]> => (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  let held: readonly Held[] = [];
  // The least of several: what is collected late is no leak.
  for (let probe = 0; probe < 5; probe += 1) {
    const known = (await lines()).length;
    server.signal('SIGUSR2');
    await until('the server has answered the probe', async () => (await lines()).length > known);
    held = [...held, JSON.parse((await lines()).at(-1)!) as Held];
  }
  const least = held.reduce((one, other) => (other.heapBytes < one.heapBytes ? other : one));
  const files = (await readdir(folder)).filter((name) => name !== 'held');
  return { ...least, files, rows, connections };
}
