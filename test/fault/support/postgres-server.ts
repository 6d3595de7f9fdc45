import { readFileSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { withConnection } from '../../../src/platform/postgres/connect.js';

/** The Postgres server of a deployment, identified by its data directory, also after restarts by another process. */
export class PostgresServer {
  #port = 0;

  constructor(
    private readonly dataDirectory: string,
    private readonly database: string,
  ) {}

  /** The superuser's URL; of the last known port while there is no server. */
  get url(): string {
    const port = Number(this.#pidFile()[3]);
    if (port > 0) this.#port = port;
    const password = readFileSync(path.join(this.dataDirectory, 'superuser-password'), 'utf8').trim();
    return `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${this.#port}/${this.database}`;
  }

  /** The postmaster; 0 while there is none. */
  get pid(): number {
    const pid = Number(this.#pidFile()[0]);
    return pid > 0 && isAlive(pid) ? pid : 0;
  }

  /** The postmaster and all its children. */
  async processes(): Promise<readonly number[]> {
    const { pid } = this;
    if (pid === 0) return [];
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    return [pid, ...children.split(' ').map(Number)].filter((process) => process > 0);
  }

  /** The first column of a statement of the superuser, within five seconds. */
  async query(sql: string): Promise<readonly unknown[]> {
    return withConnection(this.url, 5_000, async (client) => (await client.query({ text: sql, rowMode: 'array' })).rows.map((row: unknown[]) => row[0]));
  }

  #pidFile(): readonly string[] {
    try {
      return readFileSync(path.join(realpathSync(this.dataDirectory), 'postmaster.pid'), 'utf8').split('\n');
    } catch {
      return [];
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
