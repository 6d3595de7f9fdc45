import { readSettings } from '../platform/config/env.js';
import { withConnection } from '../platform/postgres/connect.js';
import { distribute } from '../platform/postgres/distribute.js';

/** `verbatim distribute`: repeated, it does what is left. */
export async function run(): Promise<number> {
  const settings = readSettings(process.env);
  if (settings.DATABASE_URL === undefined) {
    process.stderr.write('The embedded database is on one server. Set DATABASE_URL to the coordinator.\n');
    return 2;
  }
  const done = await withConnection(settings.DATABASE_URL, settings.DATABASE_TIMEOUT_MS, distribute);
  for (const name of done) process.stdout.write(`The nodes have the ${name}.\n`);
  process.stdout.write(done.length === 0 ? 'The database is distributed; nothing was left to do.\n' : 'The database is distributed. Start the servers.\n');
  return 0;
}
