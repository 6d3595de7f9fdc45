import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { ServerProcess } from '../../test/support/process.js';
import { makeTenant } from '../../test/support/tenant.js';

type Settings = Readonly<Record<string, string>>;

/** Processes of the server, with one tenant, whose settings differ by what the rig says. */
export class Servers {
  readonly #running: { readonly server: ServerProcess; readonly settings: Settings }[] = [];
  /** Of an admin. */
  token = '';

  private constructor(
    private readonly directory: string,
    /** Where the tenant is made and the log is asked; a restore moves it. */
    public databaseUrl: string,
  ) {}

  static async start(databaseUrl: string, settings: readonly Settings[]): Promise<Servers> {
    const servers = new Servers(await mkdtemp(path.join(tmpdir(), 'verbatim-rig-')), databaseUrl);
    try {
      for (const own of settings) await servers.add(own);
      servers.token = await makeTenant(appLogin(databaseUrl).appUrl, 'rig');
      return servers;
    } catch (error) {
      await servers.stop();
      throw error;
    }
  }

  /** Of those that answer requests. */
  get urls(): readonly string[] {
    return this.#running.filter(({ settings }) => settings['ROLE'] !== 'worker').map(({ server }) => server.url);
  }

  get anchorFile(): string {
    return path.join(this.directory, 'anchors');
  }

  /** For commands of operators, too. */
  get settings(): Settings {
    return {
      LOG_LEVEL: 'error',
      DATABASE_URL: this.databaseUrl,
      DATA_DIR: this.directory,
      ANCHOR_FILE: this.anchorFile,
      ANCHOR_INTERVAL_MS: '1000',
      TLOG_INTERVAL_MS: '200',
    };
  }

  /** One more. */
  async add(settings: Settings): Promise<ServerProcess> {
    const server = await ServerProcess.start({ ...this.settings, ...settings });
    this.#running.push({ server, settings });
    return server;
  }

  /** Ends all that run, as an operator does. */
  async stopAll(): Promise<void> {
    await Promise.all(this.#running.splice(0).map(({ server }) => server.stop()));
  }

  /** Ends all that run and removes what they have written. */
  async stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map(({ server }) => server.kill()));
    await rm(this.directory, { recursive: true, force: true });
  }
}
