import type { EmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import type { Template } from './database.js';

/** What a run has to put away. Jest runs set-up and tear-down in one process and hands nothing from one to the other. */
export interface TestRun {
  postgres?: EmbeddedPostgres;
  template?: Template;
}

export default async function globalTeardown(): Promise<void> {
  const { testRun } = globalThis as { testRun?: TestRun };
  if (testRun?.postgres) await testRun.postgres.stop();
  else await testRun?.template?.drop();
}
