import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { globSync } from 'tinyglobby';
import { type Account, serverAccount } from '../../src/platform/postgres/embedded/account.js';
import { freePort } from '../../src/platform/postgres/embedded/port.js';
import { find } from './programs.js';

const run = promisify(execFile);

/** The folder with the programs of an installed Postgres: of server and client, in one version. The embedded one has no client programs. */
export const POSTGRES_PROGRAMS: string | undefined = [
  ...globSync('/usr/lib/postgresql/*/bin/pg_verifybackup').toSorted().toReversed(),
  ...(find('initdb') ? [find('initdb')!] : []),
].map(path.dirname)[0];

/** Whether that Postgres has the extension Citus, which distributes tables over servers: Debian has no package of it. */
export const HAS_CITUS = POSTGRES_PROGRAMS !== undefined && existsSync(path.join(POSTGRES_PROGRAMS, '../lib/citus.so'));

/** A server of the installed Postgres on a data directory of the test. */
export class InstalledPostgres {
  private constructor(
    readonly url: string,
    private readonly data: string,
    private readonly account: Account,
    private readonly settings: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** With a new cluster, unless the directory has one: a backup. `more`: settings, as of the command line of Postgres. `environment`: of its processes, besides that of this one. */
  static async start(data: string, more: readonly string[] = [], environment: Readonly<Record<string, string>> = {}): Promise<InstalledPostgres> {
    const account = await serverAccount();
    const files = await readdir(data, { recursive: true });
    for (const file of ['', ...files]) await give(path.join(data, file), account);
    await chmod(data, 0o700);
    if (files.length === 0) await run(program('initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'], options(account));
    const port = await freePort();
    const settings = `-p ${port} -k "" -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200${more.map((setting) => ` -c ${setting}`).join('')}`;
    const server = new InstalledPostgres(`postgresql://postgres@127.0.0.1:${port}`, data, account, settings, environment);
    await server.startAgain();
    return server;
  }

  /** After a stop, at the same address. */
  async startAgain(): Promise<void> {
    const { data, settings, account, environment } = this;
    await run(program('pg_ctl'), ['-D', data, '-l', path.join(data, 'server.log'), '-w', '-t', '120', '-o', settings, 'start'], {
      ...options(account),
      env: { ...process.env, ...environment },
    });
  }

  async stop(): Promise<void> {
    await run(program('pg_ctl'), ['-D', this.data, '-m', 'immediate', '-w', 'stop'], options(this.account));
  }
}

const program = (name: string): string => path.join(POSTGRES_PROGRAMS!, name);
const options = (account: Account) => ({ ...account, cwd: '/' });

async function give(file: string, { uid, gid }: Account): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(file, uid, gid);
}
