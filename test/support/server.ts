import { readSettings } from '../../src/platform/config/env.js';
import { type Running, start } from '../../src/start.js';
import { Client } from './client.js';
import { checkResponse, checkStreamedEvent } from './documented.js';
import { freshDatabase, type TestDatabase } from './database.js';

export interface TestServer {
  readonly running: Running;
  readonly database: TestDatabase;
  /** An admin of the first tenant. */
  readonly client: Client;
  /** A fresh tenant's admin. */
  tenant(name: string): Promise<Client>;
  stop(): Promise<void>;
}

/** Every response and event that an end-to-end suite receives is compared with its documentation. */
const CHECKS = { response: checkResponse, event: checkStreamedEvent };

/**
 * On a loaded machine the test itself can hold the event loop for seconds: a time limit that is not the subject of a suite ends no statement, no attachment and
 * no call, and moves no turn to another worker.
 */
export const PATIENT = {
  PORT: '0',
  SHUTDOWN_LINGER_MS: '1',
  RATE_LIMIT_PER_MINUTE: '1000000',
  CURRENT_DATE: 'false',
  DATABASE_TIMEOUT_MS: '60000',
  REQUEST_HEADERS_TIMEOUT_MS: '60000',
  REQUEST_WAIT_MS: '120000',
  READINESS_TIMEOUT_MS: '60000',
  JOB_LOCK_MS: '60000',
  STALLED_AFTER_MS: '120000',
  ATTACHMENT_TIMEOUT_MS: '60000',
  COMPUTE_TIMEOUT_MS: '600000',
  MCP_CONNECT_TIMEOUT_MS: '60000',
  MCP_RESOURCE_TIMEOUT_MS: '60000',
  ENCRYPTION_KMS_TIMEOUT_MS: '60000',
  TENANT_HOOK_TIMEOUT_MS: '60000',
};

export type Environment = Readonly<Record<string, string>>;

/**
 * The whole server in this process, on a free port, with a new database unless one is given. With the database of an earlier server, the `token` of its client
 * stays valid.
 */
export async function startTestServer(environment: Environment = {}, database?: TestDatabase, token?: string | null): Promise<TestServer> {
  const own = database ?? (await freshDatabase());
  const running = await start(readSettings({ ...PATIENT, LOG_LEVEL: 'silent', DATABASE_URL: own.ownerUrl, ...environment }));
  const tenant = async (name: string): Promise<Client> => new Client(running.url, (await running.accounts.createTenant(name, 'admin')).token, CHECKS);
  return {
    running,
    database: own,
    client: token ? new Client(running.url, token, CHECKS) : await tenant('first'),
    tenant,
    stop: async () => {
      await running.stop();
      if (!database) await own.drop();
    },
  };
}
