import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { takeSetupLock } from '../../src/platform/postgres/connection/setup-lock.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { describeWith, REDIS_SERVER } from '../support/needs.js';
import { ServerProcess } from '../support/process.js';
import { RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let proxy: FaultProxy;
let children: ChildProcess[] = [];
/** Ended after each test, failed or not: the lock of one would stop every later start. */
let holder: Client | null = null;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await proxy.close();
  await holder?.end().catch(() => undefined); // a silent connection has been closed
  holder = null;
});

/** Starts a process; `waiting` resolves when its log says that it waits for something, or for what `line` matches: a slow Postgres may come before. */
function launch(
  environment: Readonly<Record<string, string>>,
  line = /./,
): {
  readonly ready: Promise<ServerProcess>;
  readonly child: ChildProcess;
  readonly waiting: Promise<string>;
} {
  let child!: ChildProcess;
  const ready = ServerProcess.start({ LOG_LEVEL: 'warn', ...environment }, (spawned) => (child = spawned));
  ready.catch(() => undefined);
  children.push(child);
  const waiting = new Promise<string>((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const said = text.match(/Waiting for [^"]+/g)?.find((one) => line.test(one));
      if (said !== undefined) resolve(said);
    });
  });
  return { ready, child, waiting };
}

interface Service {
  readonly environment: Record<string, string>;
  readonly line: RegExp;
  stop(): Promise<void>;
}

async function postgres(): Promise<Service> {
  proxy = await FaultProxy.start(database.ownerUrl);
  return {
    environment: { DATABASE_URL: proxy.url(database.ownerUrl) },
    line: new RegExp(`Postgres at 127.0.0.1:${proxy.port}/.* s more: .*ECONNREFUSED`),
    stop: async () => undefined,
  };
}

async function redis(): Promise<Service> {
  const server = await RedisServer.start();
  proxy = await FaultProxy.start(server.url);
  return {
    environment: { DATABASE_URL: database.ownerUrl, REDIS_URL: proxy.url(server.url) },
    line: /Waiting for Redis,/,
    stop: () => server.stop(),
  };
}

describe('a start while Postgres is down', () => starts(postgres));
describeWith(REDIS_SERVER)('a start while Redis is down', () => starts(redis));

function starts(prepare: () => Promise<Service>): void {
  it('logs what it waits for, and completes when the service is up', async () => {
    const service = await prepare();
    await proxy.refuse();
    const { ready, waiting } = launch(service.environment, service.line);
    await waiting;
    await proxy.listen();
    const server = await ready;
    expect(await server.stop()).toBe(0);
    await service.stop();
  });

  it('ends with code 0 on SIGTERM', async () => {
    const service = await prepare();
    await proxy.refuse();
    const { child, waiting } = launch(service.environment);
    await waiting;
    child.kill('SIGTERM');
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    await service.stop();
  });

  it('fails with one sentence after START_TIMEOUT_MS', async () => {
    const service = await prepare();
    await proxy.refuse();
    const { ready } = launch({ ...service.environment, START_TIMEOUT_MS: '500' });
    const error: unknown = await ready.catch((failure: unknown) => failure);
    expect(String(error)).toMatch(/ended with 1 before it was ready/);
    expect(String(error)).not.toMatch(/^\s+at /m);
    await service.stop();
  });
}

describe('a start with a silent connection to Postgres', () => {
  const LOCK = ['pg_try_advisory_lock($1)', 72707369] as const; // that of migrations
  /** Statements of a start that waits for the lock; other suites start servers on other databases. */
  const asks =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'verbatim setup' AND query LIKE '%pg_try_advisory_lock%' AND pid <> $1";

  beforeEach(async () => {
    proxy = await FaultProxy.start(database.ownerUrl);
  });

  it('does the setup again and completes', async () => {
    holder = await connect(database.ownerUrl, 60_000);
    await holder.query('SELECT pg_advisory_lock($1)', [LOCK[1]]);
    const { ready } = launch({ DATABASE_URL: proxy.url(database.ownerUrl), DATABASE_SETUP_TIMEOUT_MS: '6000' });
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await until('the start waits for the lock', async () => (await holder!.query(asks, [rows[0]!.pid])).rowCount === 1);
    proxy.silence();
    await holder.query('SELECT pg_advisory_unlock($1)', [LOCK[1]]);
    expect(await (await ready).stop()).toBe(0);
  });

  it('does not stop other starts', async () => {
    holder = await connect(proxy.url(database.ownerUrl), 60_000);
    await takeSetupLock(holder, ...LOCK);
    proxy.silence();
    const server = await launch({ DATABASE_URL: database.ownerUrl }).ready;
    expect(await server.stop()).toBe(0);
  });
});
