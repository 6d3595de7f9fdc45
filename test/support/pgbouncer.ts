import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serverAccount } from '../../src/platform/postgres/embedded/account.js';
import { freePort, isListening } from './port.js';
import { until } from './until.js';

/** PgBouncer with its default settings, in front of one login. */
export class PgBouncer {
  #child: ChildProcess | null = null;

  private constructor(
    private readonly directory: string,
    /** The given URL, through PgBouncer. */
    readonly url: string,
  ) {}

  static async start(login: string, poolSize: number, mode: 'transaction' | 'session' = 'transaction', ...settings: readonly string[]): Promise<PgBouncer> {
    const direct = new URL(login);
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-pgbouncer-'));
    const port = await freePort();
    const configuration = `[databases]
* = host=${direct.hostname} port=${direct.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${directory}/users.txt
pool_mode = ${mode}
${settings.join('\n')}
default_pool_size = ${poolSize}
logfile = ${directory}/log
`;
    await writeFile(path.join(directory, 'pgbouncer.ini'), configuration);
    await writeFile(path.join(directory, 'users.txt'), `"${decodeURIComponent(direct.username)}" "${decodeURIComponent(direct.password)}"\n`);
    const account = await serverAccount(); // PgBouncer does not run as root
    if (account.uid !== undefined && account.gid !== undefined) {
      await chmod(directory, 0o755);
      for (const file of ['.', 'pgbouncer.ini', 'users.txt']) await chown(path.join(directory, file), account.uid, account.gid);
    }
    direct.port = String(port);
    const bouncer = new PgBouncer(directory, direct.href);
    await bouncer.startAgain();
    return bouncer;
  }

  /** At the same address. */
  async startAgain(): Promise<void> {
    const account = await serverAccount();
    this.#child = spawn('pgbouncer', [path.join(this.directory, 'pgbouncer.ini')], { ...account, stdio: 'ignore' });
    await until('PgBouncer accepts connections', () => isListening(Number(new URL(this.url).port)));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Ends it without warning. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGQUIT');
    await rm(this.directory, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
