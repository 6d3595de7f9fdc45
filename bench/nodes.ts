/**
 * What nodes bring: appends a second to a distributed database with one node, two and four, beside each other in one run. Each commit waits for its disk: `fdatasync` takes 5 ms longer, one at a time for each server,
 * which is what a commit of a slower disk does. All servers share the cores of this machine.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PostgresEventStore } from '../src/engine/store/postgres-event-store.js';
import { appLogin } from '../src/platform/postgres/app-role.js';
import { withConnection } from '../src/platform/postgres/connect.js';
import { Database } from '../src/platform/postgres/store/prisma.js';
import { DistributedPostgres } from '../test/support/distributed-postgres.js';
import { NO_ENCRYPTION } from '../test/support/encryption.js';
import { find } from '../test/support/programs.js';
import { percentile, table } from './report.js';
import { appendOf, eventsOf } from './store.js';

const NODES = [1, 2, 4];
const COMMIT_MS = 5;
const CALLERS = 32;
const TENANTS = 16;
const APPENDS = 12;
const ROUNDS = 3;

/** Loaded into each server. One lock for all of its processes: a disk makes one flush at a time. */
const SLOW_DISK = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  int lock = open("slow-disk", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock >= 0) flock(lock, LOCK_EX);
  usleep(${COMMIT_MS * 1_000});
  int result = real(fd);
  if (lock >= 0) close(lock);
  return result;
}
`;

export async function benchNodes(): Promise<void> {
  const compiler = find('cc');
  if (compiler === undefined) throw new Error('The part nodes needs a C compiler, and Citus for the installed Postgres.');
  const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-slow-disk-'));
  const library = path.join(folder, 'slow-disk.so');
  const clusters: { readonly nodes: number; readonly distributed: DistributedPostgres; readonly database: Database; readonly tenants: readonly string[] }[] =
    [];
  try {
    await chmod(folder, 0o755);
    await writeFile(path.join(folder, 'slow-disk.c'), SLOW_DISK);
    execFileSync(compiler, ['-shared', '-fPIC', '-o', library, path.join(folder, 'slow-disk.c'), '-ldl']);
    for (const nodes of NODES) {
      const distributed = await DistributedPostgres.start({
        nodes,
        shards: 16,
        settings: ['fsync=on', 'wal_sync_method=fdatasync', 'log_statement=none'],
        environment: { LD_PRELOAD: library },
      });
      const url = appLogin(distributed.url(distributed.coordinator)).appUrl;
      const database = new Database({ url, isDistributed: true, poolSize: CALLERS, timeoutMs: 60_000, applicationName: 'verbatim bench' });
      clusters.push({ nodes, distributed, database, tenants: await tenantsOver(distributed, nodes) });
    }
    const figures = NODES.map((): number[] => []);
    for (const { database, tenants } of clusters) await appendsPerSecond(database, tenants); // connected, and planned
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [index, { database, tenants }] of clusters.entries()) figures[index]!.push(await appendsPerSecond(database, tenants));
    const medians = figures.map((values) => percentile(values, 0.5));
    table(
      `Appends of a distributed database, commits of ${COMMIT_MS} ms on every server, ${CALLERS} sessions of ${TENANTS} tenants at once (medians of ${ROUNDS} rounds)`,
      clusters.map(({ nodes }, index) => [
        `${nodes} node${nodes > 1 ? 's' : ''}`,
        `${medians[index]!.toFixed(0)}/s`,
        `${(medians[index]! / medians[0]!).toFixed(2)} x`,
        `of ${figures[index]!.map((value) => value.toFixed(0)).join(', ')}`,
      ]),
    );
  } finally {
    for (const { database, distributed } of clusters) {
      await database.close();
      await distributed.stop();
    }
    await rm(folder, { recursive: true });
  }
}

/** As many on each node. */
function tenantsOver(distributed: DistributedPostgres, nodes: number): Promise<readonly string[]> {
  return withConnection(distributed.url(distributed.coordinator), 60_000, async (client) => {
    const found = new Map<number, string[]>();
    while ([...found.values()].flat().length < TENANTS) {
      const tenant = randomUUID();
      const { rows } = await client.query<{ port: number }>(
        `SELECT n.nodeport AS port FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid) WHERE p.shardid = get_shard_id_for_distribution_column('event', $1::uuid)`,
        [tenant],
      );
      const here = found.get(rows[0]!.port) ?? [];
      if (here.length < TENANTS / nodes) found.set(rows[0]!.port, [...here, tenant]);
    }
    return [...found.values()].flat();
  });
}

async function appendsPerSecond(database: Database, tenants: readonly string[]): Promise<number> {
  const store = new PostgresEventStore(database, NO_ENCRYPTION);
  const start = performance.now();
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      const session = randomUUID();
      const tenantId = tenants[caller % tenants.length]!;
      for (let version = 0; version < APPENDS; version += 1) await store.append({ ...appendOf(session, version, eventsOf(1)), tenantId });
    }),
  );
  return (CALLERS * APPENDS * 1_000) / (performance.now() - start);
}
