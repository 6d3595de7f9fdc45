import path from 'node:path';
import type { Account } from '../../src/engine/tools/workspaces/accounts.js';
import type { Client } from './client.js';
import { freshDatabase } from './database.js';
import { BUBBLEWRAP, GIT, LINUX, type Need, ROOT } from './needs.js';
import { ServerProcess } from './process.js';
import { type Environment, PATIENT, startTestServer } from './server.js';
import { makeTenant } from './tenant.js';

/** A server that runs. */
export interface Deployed {
  /** An admin of a new tenant. */
  readonly client: Client;
  /** The workers, where they are separate processes. */
  readonly workers: readonly ServerProcess[];
  /** Starts one more of them. */
  startWorker(): Promise<ServerProcess>;
  stop(): Promise<void>;
}

/** A way to run the server. */
export interface Deployment {
  readonly name: string;
  readonly needs: readonly Need[];
  /** The server's account; null: the test's. */
  readonly account: Account | null;
  start(settings: Environment): Promise<Deployed>;
}

/** Another user than root: commands run as the server's own, isolated by bubblewrap. */
const USER: Account = { uid: 4_321, gid: 4_321 };

const IN_THIS_PROCESS: Deployment = {
  name: 'one process',
  needs: [],
  account: null,
  start: async (settings) => {
    const { client, stop } = await startTestServer(settings);
    return { client, workers: [], startWorker: () => Promise.reject(new Error('this process is the worker')), stop };
  },
};

const AS_ANOTHER_USER: Deployment = {
  name: 'one process of another user than root',
  needs: [LINUX, ROOT, BUBBLEWRAP, GIT],
  account: USER,
  start: (settings) => startProcesses(settings, { roles: ['all'], account: USER }),
};

/** As in docker-compose.yml: the processes share the folders of sessions and nothing else, and each session has a separate account. */
export const COMPOSED: Deployment = {
  name: 'an api and two workers that share the folders of sessions, without bubblewrap',
  needs: [LINUX, ROOT, GIT],
  account: null,
  start: (settings) => startProcesses({ ...settings, BASH_SANDBOX: 'none' }, { roles: ['api', 'worker', 'worker'] }),
};

export const DEPLOYMENTS: readonly Deployment[] = [IN_THIS_PROCESS, AS_ANOTHER_USER, COMPOSED];

async function startProcesses(settings: Environment, { roles, account }: { readonly roles: readonly string[]; readonly account?: Account }): Promise<Deployed> {
  const database = await freshDatabase();
  const token = await makeTenant(database.appUrl, 'deployed');
  const started: ServerProcess[] = [];
  const start = async (role: string): Promise<ServerProcess> => {
    const own = { DATA_DIR: path.join(settings['DATA_DIR']!, `process-${started.length}`), ROLE: role };
    const environment = { ...PATIENT, LOG_LEVEL: 'warn', DATABASE_URL: database.ownerUrl, ...settings, ...own };
    const server = await ServerProcess.start(environment, undefined, undefined, account);
    started.push(server);
    return server;
  };
  for (const role of roles) await start(role);
  const [first, ...others] = started;
  return {
    client: first!.client(token),
    workers: others,
    startWorker: () => start('worker'),
    stop: async () => {
      await Promise.all(started.map((server) => server.stop()));
      await database.drop();
    },
  };
}
