import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-postgres.js';
import { createTemplate, freshDatabase } from '../test/support/database.js';
import { makeTenant } from '../test/support/tenant.js';
import { benchAppendRows } from './append-rows.js';
import { benchNormalize } from './normalize.js';
import { benchComputePool } from './compute-pool.js';
import { benchConsole } from './console.js';
import { benchConsoleReaders } from './console-readers.js';
import { benchCost, benchIdle } from './cost.js';
import { benchErasure } from './erasure.js';
import { benchFanout } from './fanout.js';
import { benchFiles } from './files.js';
import { benchFlood } from './flood.js';
import { benchGateway } from './gateway.js';
import { benchHeavy } from './heavy.js';
import { benchImages } from './images.js';
import { benchLong } from './long.js';
import { benchRecovery } from './recovery.js';
import { measureHints, measureQueues } from './queue.js';
import { table } from './report.js';
import { benchSearch } from './search.js';
import { benchPartitions } from './partitions.js';
import { benchPolicies } from './policies.js';
import { benchNodes } from './nodes.js';
import { benchProofs, benchEncryption } from './proofs.js';
import { benchRolling } from './rolling.js';
import { benchScale } from './scale.js';
import { benchShares } from './shares.js';
import { benchSoak } from './soak.js';
import { benchStarts } from './starts.js';
import { benchStore, describeFigures } from './store.js';
import { benchAudience, benchStreams } from './streams.js';
import { benchTurns } from './turn.js';
import { benchView } from './view.js';

/**
 * All benchmarks in one run, since only figures of one run are comparable. On a temporary durable database; with TEST_REDIS_URL, on Redis
 * as well. Names of parts as arguments run only those (`console` also `console-readers`): `npm run bench -- store starts normalize view search policies erasure proofs encryption queue turns streams audience images recovery rolling shares flood compute-pool cost scale long console console-readers gateway heavy files`; `append-rows`, `partitions` (a quarter of an hour, 10 GB), `nodes` (with Citus and a C compiler), `idle` (a part of `cost`) and `soak` (five minutes, SOAK_SECONDS) run only when they are named.
 */
const wanted = process.argv.slice(2);
const part = async (name: string, run: () => Promise<void> | void): Promise<void> => {
  if (wanted.length === 0 || wanted.some((one) => name === one || name.startsWith(`${one}-`))) await run();
};

const server = await startEmbeddedPostgres({ database: 'bench' });
process.env['TEST_TEMPLATE_URL'] = (await createTemplate(server.url)).ownerUrl;
const redisUrl = process.env['TEST_REDIS_URL'];
try {
  await part('store', async () => {
    const database = await freshDatabase();
    process.stdout.write(`\n${describeFigures(await benchStore(database))}\n`);
    await database.drop();
  });
  await part('starts', async () => {
    const database = await freshDatabase();
    await benchStarts(database);
    await database.drop();
  });
  await part('normalize', benchNormalize);
  await part('view', benchView);
  await part('search', async () => {
    const database = await freshDatabase();
    await benchSearch(database);
    await database.drop();
  });
  await part('policies', () => benchPolicies(freshDatabase));
  await part('erasure', async () => {
    const database = await freshDatabase();
    await benchErasure(database);
    await database.drop();
  });
  await part('proofs', () => benchProofs(freshDatabase));
  await part('encryption', () => benchEncryption(freshDatabase));
  await part('cost', benchCost);
  if (wanted.includes('idle')) await benchIdle();
  if (wanted.includes('append-rows')) await benchAppendRows();
  if (wanted.includes('partitions')) await benchPartitions();
  if (wanted.includes('nodes')) await benchNodes();
  await part('scale', () => benchScale(redisUrl));
  await part('queue', async () => {
    const { appUrl } = await freshDatabase();
    const servers = { postgresUrl: appUrl, ...(redisUrl ? { redisUrl } : {}) };
    const ms = (value: number): string => value.toFixed(2);
    table(
      'Queue (ms from add to start, idle; jobs a second at concurrency 50)',
      (await measureQueues(servers)).map((figures) => [
        figures.backend,
        `p50 ${ms(figures.addToStart.p50)}`,
        `p99 ${ms(figures.addToStart.p99)}`,
        `${figures.jobsPerSecond.toFixed(0)}/s`,
      ]),
    );
    table(
      'Live bus between two processes (ms one way; deltas a second)',
      (await measureHints(servers)).map((figures) => [
        figures.backend,
        `p50 ${ms(figures.oneWay.p50)}`,
        `p99 ${ms(figures.oneWay.p99)}`,
        `${figures.deltasPerSecond.toFixed(0)}/s`,
      ]),
    );
  });
  const backends: readonly { name: string; environment: Record<string, string> }[] = [
    { name: 'Postgres alone', environment: {} },
    ...(redisUrl ? [{ name: 'with Redis', environment: { REDIS_URL: redisUrl } }] : []),
  ];
  for (const { name, environment } of backends) {
    const database = await freshDatabase();
    const token = await makeTenant(database.appUrl, 'bench');
    const settings: Record<string, string> = { ...environment, DATABASE_URL: database.ownerUrl };
    await part('turns', () => benchTurns(name, settings, token));
    await part('streams', async () => {
      if (backends[0]?.name === name) await benchFanout(settings, token);
      await benchStreams(name, settings, token);
    });
    await part('images', () => benchImages(settings, token));
    await part('audience', () => benchAudience(name, settings, token));
    await part('recovery', () => benchRecovery(name, settings, token));
    await part('rolling', () => benchRolling(name, settings, token));
    await part('shares', async () => benchShares(name, settings, token, await makeTenant(database.appUrl, 'modest')));
    await part('flood', async () => benchFlood(name, settings, token, await makeTenant(database.appUrl, 'modest beside a flood')));
    await part('compute-pool', () => benchComputePool({ ...settings, DATABASE_URL: database.ownerUrl }, token));
    if (backends[0]?.name === name) await part('long', () => benchLong(settings, token));
    if (backends[0]?.name === name && wanted.includes('soak')) await benchSoak(settings, token);
    if (backends[0]?.name === name) {
      await part('console', () => benchConsole(settings, token, { tenant: 'bench', name: 'admin' }));
      await part('console-readers', () => benchConsoleReaders(settings, token));
    }
    if (backends[0]?.name === name) await part('gateway', () => benchGateway(settings, token));
    if (backends[0]?.name === name) await part('heavy', () => benchHeavy(settings, token));
    if (backends[0]?.name === name) await part('files', () => benchFiles(settings, token));
    await database.drop();
  }
} finally {
  await server.stop();
}
