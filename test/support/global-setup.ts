import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { createTemplate } from './database.js';
import type { TestRun } from './global-teardown.js';

/** One server per run, thrown away afterwards; TEST_DATABASE_URL names a server to use instead (its login must be able to create databases). */
export default async function globalSetup(): Promise<void> {
  const run: TestRun = {};
  (globalThis as { testRun?: TestRun }).testRun = run;
  let serverUrl = process.env['TEST_DATABASE_URL'];
  if (!serverUrl) {
    run.postgres = await startEmbeddedPostgres({ database: 'postgres', volatile: true });
    serverUrl = run.postgres.url;
  }
  run.template = await createTemplate(serverUrl);
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'; // it says that Node 20 ends, which this project still supports
  process.env['TEST_TEMPLATE_URL'] = run.template.ownerUrl; // the workers inherit it
}
