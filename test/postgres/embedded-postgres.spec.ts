import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withConnection } from '../../src/adapters/postgres/connect.js';
import { startEmbeddedPostgres } from '../../src/adapters/postgres/embedded-postgres.js';
import { isAlive } from '../../src/adapters/postgres/embedded/processes.js';
import { ClusterUser, until } from './cluster-user.js';

const asRoot = process.getuid?.() === 0 ? it : it.skip;
const onLinux = process.platform === 'linux' ? it : it.skip;

let home: string;
let dataDir: string;
let users: ClusterUser[];

const use = (directory: string | undefined = dataDir): ClusterUser => {
  const user = new ClusterUser(directory);
  users.push(user);
  return user;
};

const remember = (url: string): Promise<unknown> => withConnection(url, 5_000, (client) => client.query('CREATE TABLE note AS SELECT 1 AS kept'));

const kept = (url: string): Promise<number | undefined> =>
  withConnection(url, 5_000, async (client) => (await client.query<{ kept: number }>('SELECT kept FROM note')).rows[0]?.kept);

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
    await remember(first.url);
    await first.stop();
    expect(await isAlive(first.pid)).toBe(false);

    const second = await startEmbeddedPostgres({ dataDir, database: 'app' });
    expect(second.url).toBe(first.url);
    expect(await kept(second.url)).toBe(1);
    await second.stop();
  });

  it('does not take a stranger with a recycled pid for its server', async () => {
    const first = await startEmbeddedPostgres({ dataDir, database: 'app' });
    await first.stop();
    await writeFile(path.join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n1\n1\n\n127.0.0.1\n\nready   \n`);
    const second = await startEmbeddedPostgres({ dataDir, database: 'app' });
    expect(second.started).toBe(true);
    await second.stop();
  });

  it('refuses a directory that holds something else', async () => {
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'letter.txt'), 'dear reader');
    await expect(startEmbeddedPostgres({ dataDir, database: 'app' })).rejects.toMatchObject({ code: 'embedded_not_started' });
    expect(existsSync(path.join(dataDir, 'letter.txt'))).toBe(true);
  });
});

describe('a process that dies', () => {
  it('takes Postgres with it, and loses nothing that was committed', async () => {
    const first = use();
    const { url, pid } = await first.hears('ready');
    await remember(url);
    await first.kill();
    await until(async () => !(await isAlive(pid)));

    const second = await use().hears('ready');
    expect(second.started).toBe(true);
    expect(await kept(second.url)).toBe(1);
  });

  it('leaves a server that the next start does not attach to, but outwaits', async () => {
    const first = use();
    const { url, pid } = await first.hears('ready');
    await remember(url);
    process.kill(pid, 'SIGSTOP'); // for as long as we like it still looks ready
    await first.kill();
    const second = use();
    process.kill(pid, 'SIGCONT');

    const ready = await second.hears('ready');
    expect(ready).toMatchObject({ started: true, url });
    expect(ready.pid).not.toBe(pid);
    expect(await kept(ready.url)).toBe(1);
  });

  onLinux('leaves a server without a watcher, which the next start ends', async () => {
    const first = use();
    const { url, pid } = await first.hears('ready');
    await remember(url);
    const shell = Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[3]);
    const family = (await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8')).trim().split(' ').map(Number);
    for (const watcher of [shell, ...family.filter((child) => child !== pid)]) process.kill(watcher, 'SIGKILL');
    await first.kill();

    const ready = await use().hears('ready');
    expect(ready).toMatchObject({ started: true, url });
    expect(await isAlive(pid)).toBe(false);
    expect(await kept(ready.url)).toBe(1);
  });

  it('on Ctrl-C still has its database while it drains', async () => {
    const user = use();
    const { pid } = await user.hears('ready');
    user.interrupt();
    expect((await user.hears('stopped')).answer).toBe(42);
    expect(await isAlive(pid)).toBe(false);
  });

  it('takes a temporary cluster with it, files included', async () => {
    const user = new ClusterUser();
    const { dataDir: temporary } = await user.hears('ready');
    await user.kill();
    await until(() => !existsSync(path.dirname(temporary)));
  });
});

describe('a Postgres that is killed', () => {
  it('is back on the same port, with what was committed', async () => {
    const user = use();
    const { url, pid } = await user.hears('ready');
    await remember(url);
    process.kill(pid, 'SIGKILL');
    expect((await user.hears('restarted')).pid).not.toBe(pid);
    expect(await kept(url)).toBe(1);
    await user.stop();
  });
});

describe('two processes', () => {
  it('share one server, and the second takes over when the first ends', async () => {
    const first = use();
    const { url, pid } = await first.hears('ready');
    await remember(url);
    const second = use();
    expect(await second.hears('ready')).toMatchObject({ started: false, url, pid });

    await first.stop();
    await second.hears('restarted');
    expect(await kept(url)).toBe(1);
    await second.stop();
  });

  it('do not end a server that the other one started', async () => {
    const first = use();
    const { url, pid } = await first.hears('ready');
    const second = use();
    await second.hears('ready');
    await second.stop();
    expect(await isAlive(pid)).toBe(true);
    await remember(url);
  });

  it('may start at the same moment on an empty directory', async () => {
    const ready = await Promise.all([use(), use(), use()].map((user) => user.hears('ready')));
    expect(ready.filter(({ started }) => started)).toHaveLength(1);
    expect(new Set(ready.map(({ url }) => url)).size).toBe(1);
  });
});

describe('as root', () => {
  asRoot('a private folder gets a link to a place that the account of the server can reach, and may be moved', async () => {
    await chmod(home, 0o700);
    const first = await startEmbeddedPostgres({ dataDir, database: 'app' });
    await remember(first.url);
    await first.stop();
    expect((await lstat(dataDir)).isSymbolicLink()).toBe(true);

    const moved = `${home}-moved`;
    await rename(home, moved);
    home = moved;
    dataDir = path.join(moved, 'data');
    const second = await startEmbeddedPostgres({ dataDir, database: 'app' });
    expect(second.dataDir).toBe(first.dataDir);
    expect(await kept(second.url)).toBe(1);
    await second.stop();
  });
});
