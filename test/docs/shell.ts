import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { type Readable } from 'node:stream';
import { ROOT } from './markdown.js';

export interface Outcome {
  /** Null: the command ended the shell. */
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** One bash for all blocks of a page: they share variables, functions and background jobs, as in the terminal of a reader. */
export class Shell {
  readonly #statuses: Interface;
  readonly #ended: Promise<void>;
  #blocks = 0;

  private constructor(
    private readonly bash: ChildProcess,
    private readonly folder: string,
  ) {
    this.#statuses = createInterface({ input: bash.stdio[3] as Readable });
    this.#ended = new Promise((resolve) => bash.once('exit', () => resolve()));
    bash.stdin!.on('error', () => undefined); // of a shell that a failed command has ended: `run` says so
  }

  /** In a folder that looks like a checkout: `npm start` and the other scripts run there, and write there. */
  static async open(folder: string, environment: Readonly<Record<string, string>>): Promise<Shell> {
    const names = (await readdir(ROOT)).filter((name) => !name.startsWith('.') && name !== 'config');
    await Promise.all(names.map((name) => symlink(path.join(ROOT, name), path.join(folder, name))));
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'], ...environment };
    const bash = spawn('bash', ['--noprofile', '--norc', '-s'], { cwd: folder, env, stdio: ['pipe', 'ignore', 'ignore', 'pipe'], detached: true });
    return new Shell(bash, folder);
  }

  /** Ends with the first command that fails, as with `set -e`, unless `mayFail`. */
  async run(script: string, mayFail = false): Promise<Outcome> {
    const name = path.join(this.folder, `.block-${++this.#blocks}`);
    await writeFile(name, `${mayFail ? '' : 'set -eo pipefail\n'}${script}\n`);
    const status = new Promise<number>((resolve) => this.#statuses.once('line', (line) => resolve(Number(line))));
    this.bash.stdin!.write(`set +eo pipefail; . ${name} >${name}.out 2>${name}.err 3>&- </dev/null; echo "$?" >&3\n`);
    const code = await Promise.race([status, this.#ended.then(() => null)]);
    const printed = (kind: string): Promise<string> => readFile(`${name}.${kind}`, 'utf8').catch(() => '');
    return { status: code, output: await printed('out'), errors: await printed('err') };
  }

  /** Starts a server in the background, and resolves to its address once it is ready. */
  async start(command: string): Promise<string> {
    const { output } = await this.run(
      `(${command}) >.server 2>&1 & server=$!\n` +
        `until grep -qs 'is ready on http' .server; do kill -0 $server || { cat .server; exit 1; }; sleep 0.1; done\n` +
        `sed -n 's/.*is ready on \\(http:[0-9./]*:[0-9]*\\).*/\\1/p' .server | head -n 1`,
    );
    const url = output.trim();
    if (!url.startsWith('http')) throw new Error(`${command} ended before it was ready:\n${output}`);
    return url;
  }

  /** Ends the shell and everything that it has started. */
  async close(): Promise<void> {
    await this.run('[ -z "$server" ] || { kill $server; wait $server; }', true).catch(() => undefined);
    await this.kill();
  }

  /** The same at once, whatever it is doing. */
  async kill(): Promise<void> {
    try {
      process.kill(-this.bash.pid!, 'SIGKILL');
    } catch {
      // nothing of it runs any more
    }
    await this.#ended;
  }
}
