/**
 * What a short turn costs: statements, commits, bytes and CPU time in the database, CPU time in the server, and how long a client waits. Beside them the
 * same figures of a bare INSERT, of the same run: compare those ratios, since absolute figures depend on the machine.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { appLogin } from '../src/platform/postgres/app-role.js';
import { withConnection } from '../src/platform/postgres/connect.js';
import type { Client } from '../test/support/client.js';
import { ServerProcess } from '../test/support/process.js';
import { prepareTemplate } from '../test/support/template.js';
import { makeTenant } from '../test/support/tenant.js';
import { type Counters, type MeasuredServer, processorMs, startMeasuredServer } from './database-counters.js';
import { atOnce, inTurn, PROMPT } from './load.js';
import { MARKS, marked } from './marks.js';
import { figures, type Row, table } from './report.js';

const SESSIONS = 30;
const TURNS = 20;
const ALONE = 120;
const BARE_INSERTS = 4_000;
/** As long as the slowest periodic work that counts: a shorter time would see all of it or none. */
const IDLE_MS = 30_000;
const PROCESSES = 8;
/** A backend that has become idle adds its statistics to the counters within ten seconds. */
const QUIET_MS = 12_000;

/** CPU milliseconds of one bare INSERT of an event of 1 KB in its own commit. */
interface Bare {
  readonly database: number;
  readonly client: number;
}

export async function benchCost(): Promise<void> {
  const database = await startMeasuredServer();
  try {
    await prepareTemplate(database.url);
    const token = await makeTenant(appLogin(database.url).appUrl, 'cost');
    const bare = await bareInserts(database);
    table('A bare INSERT of an event of 1 KB, CPU time (ms)', [
      ['in the database', bare.database.toFixed(3), '', ''],
      ['in the client', bare.client.toFixed(3), '', ''],
    ]);
    const server = await ServerProcess.start({ LOG_LEVEL: 'silent', DATABASE_URL: database.url, ...settings() });
    try {
      const client = server.client(token);
      await inTurn(client, 40);
      await atOnce([client], SESSIONS, 3);
      await pause(QUIET_MS); // until then it announces what happens to processes that it might not know of
      await reportAlone(database, server.pid, client, bare);
      await reportWaiting(database, server.pid, client, bare);
      await reportAtOnce(database, server.pid, client, bare);
      await reportIdle(database, 1, MARKS.idle);
      await reportIdleOfMany(database);
    } finally {
      await server.stop();
    }
  } finally {
    await database.stop();
  }
}

/** What idle processes do, alone: one, then `PROCESSES`. */
export async function benchIdle(): Promise<void> {
  const database = await startMeasuredServer();
  try {
    await prepareTemplate(database.url);
    const token = await makeTenant(appLogin(database.url).appUrl, 'idle');
    const server = await ServerProcess.start({ LOG_LEVEL: 'silent', DATABASE_URL: database.url, ...settings() });
    try {
      await inTurn(server.client(token), 3);
      await pause(QUIET_MS);
      await reportIdle(database, 1, MARKS.idle);
      await reportIdleOfMany(database);
    } finally {
      await server.stop();
    }
  } finally {
    await database.stop();
  }
}

/** Settings of the server, from COST_SETTINGS: `TURN_DISPATCH=queue,TENANT_CONCURRENCY=10`. */
function settings(): Record<string, string> {
  return Object.fromEntries((process.env['COST_SETTINGS'] ?? '').split(',').flatMap((pair) => (pair === '' ? [] : [pair.split('=', 2) as [string, string]])));
}

async function bareInserts(server: MeasuredServer): Promise<Bare> {
  await withConnection(server.url, 5_000, (owner) => owner.query('CREATE TABLE bare_event (LIKE event INCLUDING ALL)'));
  return withConnection(server.url, 60_000, async (client) => {
    const [session, tenant, data, hash] = [randomUUID(), randomUUID(), JSON.stringify({ text: 'x'.repeat(1_000) }), Buffer.alloc(32)];
    const text = `INSERT INTO bare_event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
      VALUES ($1, $2, $3, $4::uuid, $5, 'bare', 1, '{}', $6, uuid_send($4::uuid), $7, $7, now())`;
    const insert = (seq: number): Promise<unknown> =>
      client.query({ name: 'bare', text, values: [session, seq, tenant, randomUUID(), randomUUID(), data, hash] });
    for (let seq = 1; seq <= 200; seq += 1) await insert(seq);
    const [before, own] = [await server.read(), process.cpuUsage()];
    for (let seq = 201; seq <= 200 + BARE_INSERTS; seq += 1) await insert(seq);
    const [after, used] = [await server.read(), process.cpuUsage(own)];
    return { database: (after.processorMs - before.processorMs) / BARE_INSERTS, client: (used.user + used.system) / 1_000 / BARE_INSERTS };
  });
}

async function reportAlone(database: MeasuredServer, pid: number, client: Client, bare: Bare): Promise<void> {
  await database.reset();
  const cost = await measured(database, pid, () => inTurn(client, ALONE));
  table(`A short turn, one session, ${ALONE} in a row (ms)`, [
    figures('POST → first delta', cost.result.first),
    figures('POST → turn.completed', cost.result.total),
    ...rowsOf(cost, ALONE, bare, { commits: MARKS.statements, server: MARKS.serverInsertsAlone }),
  ]);
  await showStatements(database, 'alone', ALONE);
  await showWritten(database, 'alone', ALONE);
}

/** The same with a client that waits by `?wait=`: its reads of the log come on top. */
async function reportWaiting(database: MeasuredServer, pid: number, client: Client, bare: Bare): Promise<void> {
  const id = await client.session();
  await client.ask(id, PROMPT);
  await database.reset();
  const cost = await measured(database, pid, async () => {
    for (let turn = 0; turn < ALONE; turn += 1) await client.ask(id, PROMPT);
  });
  const statements = await database.statements(ALONE);
  const reads = statements.find((line) => line.includes('encode(int8send(seq)'))?.split(' ')[0] ?? '0';
  table(`The same for a client that waits for each turn by GET …/turns/{id}?wait=`, [
    ['reads of the log', reads, '', marked(MARKS.readsOfWaiting)],
    ...rowsOf(cost, ALONE, bare, { commits: MARKS.statements, server: MARKS.serverInsertsAlone }),
  ]);
}

async function reportAtOnce(database: MeasuredServer, pid: number, client: Client, bare: Bare): Promise<void> {
  const empty = await storedBytes(database);
  await database.reset();
  const cost = await measured(database, pid, () => atOnce([client], SESSIONS, TURNS));
  const turns = SESSIONS * TURNS;
  const stored = (await storedBytes(database)) - empty;
  table(`A short turn, ${SESSIONS} sessions at once, ${TURNS} turns each (ms)`, [
    ['turns a second', (turns / cost.seconds).toFixed(1), '', ''],
    figures('POST → first delta', cost.result.first),
    figures('POST → turn.completed', cost.result.total),
    ['stored, KB', (stored / turns / 1_024).toFixed(1), '', marked(MARKS.storedKB)],
    ...rowsOf(cost, turns, bare, { commits: MARKS.commitsAtOnce, server: MARKS.serverInsertsAtOnce }),
  ]);
  await showStatements(database, `at ${SESSIONS} sessions`, turns);
  await showWritten(database, `at ${SESSIONS} sessions`, turns);
}

/** Of all tables with their indexes, without what the end of a turn has freed. */
const storedBytes = (database: MeasuredServer): Promise<number> =>
  withConnection(database.url, 60_000, async (owner) => {
    await owner.query('VACUUM');
    const { rows } = await owner.query<{ bytes: string }>(
      `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    return Number(rows[0]!.bytes);
  });

async function showStatements(database: MeasuredServer, when: string, turns: number): Promise<void> {
  process.stdout.write(`\nStatements of a turn, ${when}\n${(await database.statements(turns)).map((line) => `  ${line}\n`).join('')}`);
}

async function showWritten(database: MeasuredServer, when: string, turns: number): Promise<void> {
  const { lines, besides } = await database.written(turns);
  process.stdout.write(
    `\nWAL of a turn, ${when}; ${(besides / turns / 1_024).toFixed(1)} KB of it page images and statistics\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
}

async function reportIdle(database: MeasuredServer, processes: number, mark: number): Promise<void> {
  await database.withoutAutovacuum();
  await pause(QUIET_MS);
  await database.reset();
  const before = await database.read();
  await pause(IDLE_MS);
  const after = await database.read();
  const per10s = (count: number): string => (count / (IDLE_MS / 10_000)).toFixed(1);
  table(`Ten seconds idle, ${processes} ${processes === 1 ? 'process' : 'processes'}; the mean of ${IDLE_MS / 1_000} s`, [
    ['statements', per10s(after.statements - before.statements), '', ''],
    ['commits that write', per10s(after.commits - before.commits), '', ''],
    ['transactions, those that only read included', per10s(after.transactions - before.transactions - 1), '', marked(mark)],
  ]);
  for (const statement of await database.statements(1)) process.stdout.write(`  ${statement}\n`);
}

/** With more processes beside the one that runs. */
async function reportIdleOfMany(database: MeasuredServer): Promise<void> {
  const others: ServerProcess[] = [];
  try {
    while (others.length < PROCESSES - 1) others.push(await ServerProcess.start({ LOG_LEVEL: 'silent', DATABASE_URL: database.url, ...settings() }));
    await pause(QUIET_MS);
    await reportIdle(database, PROCESSES, MARKS.idleOfMany);
  } finally {
    await Promise.all(others.map((other) => other.stop()));
  }
}

interface Cost<T> {
  readonly result: T;
  readonly seconds: number;
  readonly before: Counters;
  readonly after: Counters;
  readonly serverMs: number;
}

async function measured<T>(database: MeasuredServer, pid: number, work: () => Promise<T>): Promise<Cost<T>> {
  const [before, cpu, began] = [await database.read(), await processorMs(pid), performance.now()];
  const result = await work();
  const seconds = (performance.now() - began) / 1_000;
  return { result, seconds, before, after: await database.read(), serverMs: (await processorMs(pid)) - cpu };
}

function rowsOf(
  { before, after, serverMs }: Cost<unknown>,
  turns: number,
  bare: Bare,
  most: { readonly commits: number; readonly server: number },
): readonly Row[] {
  const each = (counter: keyof Counters): number => (after[counter] - before[counter]) / turns;
  return [
    ['statements', each('statements').toFixed(1), '', marked(MARKS.statements)],
    ['commits that write', each('commits').toFixed(1), '', marked(most.commits)],
    ['WAL, KB', (each('walBytes') / 1_024).toFixed(1), '', marked(MARKS.logKB)],
    ['CPU of the database', each('processorMs').toFixed(2), `${(each('processorMs') / bare.database).toFixed(0)} INSERTs`, marked(MARKS.databaseInserts)],
    ['CPU of the server', (serverMs / turns).toFixed(2), `${(serverMs / turns / bare.client).toFixed(0)} INSERTs`, marked(most.server)],
  ];
}
