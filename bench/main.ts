import { startEmbeddedPostgres } from '../src/adapters/postgres/embedded-postgres.js';
import { createTemplate } from '../test/support/database.js';
import { makeTenant } from '../test/support/tenant.js';
import { benchStreams, benchTurns } from './turn.js';

/** Everything in one run, since only figures of one run may be compared. A durable database of its own, gone afterwards. */
const server = await startEmbeddedPostgres({ database: 'bench' });
const template = await createTemplate(server.url);
process.env['TEST_TEMPLATE_URL'] = template.ownerUrl;
const { freshDatabase } = await import('../test/support/database.js');
try {
  const database = await freshDatabase();
  const environment = { DATABASE_URL: database.ownerUrl };
  const token = await makeTenant(database.appUrl, 'bench');
  await benchTurns(environment, token);
  await benchStreams(environment, token);
} finally {
  await server.stop();
}
