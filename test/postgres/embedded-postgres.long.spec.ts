import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, withConnection } from '../../src/platform/postgres/connect.js';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { isAlive } from '../../src/platform/postgres/embedded/processes.js';
import { itWith, LINUX, ROOT } from '../support/needs.js';
import { ClusterUser, until } from './cluster-user.js';

const asRoot = itWith(ROOT);
const onLinux = itWith(LINUX);

let home: string;
let dataDir: string;
let users: ClusterUser[];

const launchUser = (directory: string | undefined = dataDir): ClusterUser => {
  const user = new ClusterUser(directory);
  users.push(user);
  return user;
};

const storeNote = (url: string): Promise<unknown> => withConnection(url, 60_000, (client) => client.query('CREATE TABLE note AS SELECT 1 AS value'));

const readNote = (url: string): Promise<number | undefined> =>
  withConnection(url, 60_000, async (client) => (await client.query<{ value: number }>('SELECT value FROM note')).rows[0]?.value);

beforeEach(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), 'verbatim-spec-')));
  await chmod(home, 0o755);
  dataDir = path.join(home, 'data');
  users = [];
});

afterEach(async () => {
  for (const user of users) await user.kill();
  const place = await realpath(dataDir).catch(() => dataDir);
  await until(async () => !existsSync(path.join(place, 'postmaster.pid')));
  await rm(place, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

describe('a cluster across starts', () => {
  it('keeps data and port', async () => {
    const first = await startEmbeddedPostgres({ dataDir, database: 'app' });
    await storeNote(first.url);
    await first.stop();
    expect(await isAlive(first.pid)).toBe(false);

    const second = await startEmbeddedPostgres({ dataDir, database: 'app' });
    expect(second.url).toBe(first.url);
    expect(await readNote(second.url)).toBe(1);
    await second.stop();
  });

  it('does not take another program with a recycled pid for its server', async () => {
    const first = await startEmbeddedPostgres({ dataDir, database: 'app' });
    await first.stop();
    await writeFile(path.join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n1\n1\n\n127.0.0.1\n\nready   \n`);
    const second = await startEmbeddedPostgres({ dataDir, database: 'app' });
    expect(second.started).toBe(true);
    await second.stop();
  });

  it('rejects a directory that contains other files', async () => {
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'file.txt'), 'text');
    await expect(startEmbeddedPostgres({ dataDir, database: 'app' })).rejects.toMatchObject({ code: 'embedded_not_started' });
    expect(existsSync(path.join(dataDir, 'file.txt'))).toBe(true);
  });
});

describe('a process that is killed', () => {
  it('stops its Postgres, and no committed row is lost', async () => {
    const first = launchUser();
    const { url, pid } = await first.reported('ready');
    await storeNote(url);
    await first.kill();
    await until(async () => !(await isAlive(pid)));

    const second = await launchUser().reported('ready');
    expect(second.started).toBe(true);
    expect(await readNote(second.url)).toBe(1);
  });

  it('leaves a server that the next start waits out instead of attaching to it', async () => {
    const first = launchUser();
    const { url, pid } = await first.reported('ready');
    await storeNote(url);
    process.kill(pid, 'SIGSTOP'); // its pid file still says ready
    await first.kill();
    const second = launchUser();
    process.kill(pid, 'SIGCONT');

    const ready = await second.reported('ready');
    expect(ready).toMatchObject({ started: true, url });
    expect(ready.pid).not.toBe(pid);
    expect(await readNote(ready.url)).toBe(1);
  });

  onLinux('leaves a server without a watcher, which the next start stops', async () => {
    const first = launchUser();
    const { url, pid } = await first.reported('ready');
    await storeNote(url);
    const shell = Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[3]);
    const family = (await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8')).trim().split(' ').map(Number);
    first.process.kill('SIGSTOP'); // it must not see that its watcher is gone
    for (const watcher of [shell, ...family.filter((child) => child !== pid)]) process.kill(watcher, 'SIGKILL');
    await first.kill();

    const ready = await launchUser().reported('ready');
    expect(ready).toMatchObject({ started: true, url });
    expect(await isAlive(pid)).toBe(false);
    expect(await readNote(ready.url)).toBe(1);
  });

  onLinux('does not prevent the next start when it dies while its Postgres recovers from a crash', async () => {
    const first = launchUser();
    const { url, pid } = await first.reported('ready');
    await storeNote(url);
    // The postmaster ends all sessions and starts crash recovery. That may be over before a connection meets it: then its server crashes once more.
    let crashed = false;
    await until(async () => {
      const client = await connect(url, 0).catch(() => null);
      if (!client) return crashed;
      client.on('error', () => {});
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid').catch(() => ({ rows: [] }));
      for (const backend of rows) crashed = process.kill(backend.pid, 'SIGKILL');
      await client.end().catch(() => undefined);
      return false;
    });
    await first.kill();

    const ready = await launchUser().reported('ready');
    expect(ready).toMatchObject({ started: true, url });
    expect(ready.pid).not.toBe(pid);
    expect(await readNote(ready.url)).toBe(1);
  });

  it('keeps its database on Ctrl-C while it drains', async () => {
    const user = launchUser();
    const { pid } = await user.reported('ready');
    user.interrupt();
    expect((await user.reported('stopped')).answer).toBe(42);
    expect(await isAlive(pid)).toBe(false);
  });

  it('deletes its temporary cluster', async () => {
    const user = new ClusterUser();
    const { dataDir: temporary } = await user.reported('ready');
    await user.kill();
    await until(() => !existsSync(path.dirname(temporary)));
  });
});

describe('a Postgres that is killed', () => {
  it('is restarted on the same port with all committed rows', async () => {
    const user = launchUser();
    const { url, pid } = await user.reported('ready');
    await storeNote(url);
    process.kill(pid, 'SIGKILL');
    expect((await user.reported('restarted')).pid).not.toBe(pid);
    expect(await readNote(url)).toBe(1);
    await user.stop();
  });
});

describe('two processes', () => {
  it('share one server, which the second restarts when the first ends', async () => {
    const first = launchUser();
    const { url, pid } = await first.reported('ready');
    await storeNote(url);
    const second = launchUser();
    expect(await second.reported('ready')).toMatchObject({ started: false, url, pid });

    await first.stop();
    await second.reported('restarted');
    expect(await readNote(url)).toBe(1);
    await second.stop();
  });

  it('do not stop a server that the other one started', async () => {
    const first = launchUser();
    const { url, pid } = await first.reported('ready');
    const second = launchUser();
    await second.reported('ready');
    await second.stop();
    expect(await isAlive(pid)).toBe(true);
    await storeNote(url);
  });

  it('may start concurrently on an empty directory', async () => {
    const ready = await Promise.all([launchUser(), launchUser(), launchUser()].map((user) => user.reported('ready')));
    expect(ready.filter(({ started }) => started)).toHaveLength(1);
    expect(new Set(ready.map(({ url }) => url)).size).toBe(1);
  });
});

describe('as root', () => {
  asRoot('links a private folder to a directory that the account of the server can reach, and the link may be moved', async () => {
    await chmod(home, 0o700);
    const first = await startEmbeddedPostgres({ dataDir, database: 'app' });
    await storeNote(first.url);
    await first.stop();
    expect((await lstat(dataDir)).isSymbolicLink()).toBe(true);

    const moved = `${home}-moved`;
    await rename(home, moved);
    home = moved;
    dataDir = path.join(moved, 'data');
    const second = await startEmbeddedPostgres({ dataDir, database: 'app' });
    expect(second.dataDir).toBe(first.dataDir);
    expect(await readNote(second.url)).toBe(1);
    await second.stop();
  });
});
