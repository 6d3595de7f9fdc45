/**
 * `npm run freeze`, at a release: writes the checksums of all migrations, with which `npm run check` keeps them as they are, that of the functions, and the rows of a database of this build, on which every later
 * build is started.
 */
import { writeFile } from 'node:fs/promises';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { SCHEMA_FOLDERS } from '../../src/schema-folders.js';
import { startTestServer } from '../support/server.js';
import { fill } from './fill.js';
import { frozen, newestOf } from './frozen.js';
import { rowsOf } from './rows.js';

const released = await frozen(SCHEMA_FOLDERS);
const newest = newestOf(released)!;
const postgres = await startEmbeddedPostgres({ database: 'verbatim', volatile: true });
try {
  const server = await startTestServer({}, { ownerUrl: postgres.url, appUrl: appLogin(postgres.url).appUrl, drop: async () => undefined });
  try {
    const filled = await fill(server);
    const rows = await withConnection(postgres.url, 60_000, (owner) => rowsOf(owner, filled));
    await writeFile(`test/released/rows/${newest}.sql`, rows);
    await writeFile('prisma/released.json', `${JSON.stringify(released, null, 2)}\n`);
  } finally {
    await server.stop();
  }
} finally {
  await postgres.stop();
}
process.stdout.write(`Frozen: ${Object.keys(released.migrations).join(', ')}. Commit prisma/released.json and test/released/rows/${newest}.sql.\n`);
