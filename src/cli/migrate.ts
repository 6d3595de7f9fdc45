import { readSettings } from '../platform/config/env.js';
import { withDatabase } from './with-database.js';

/** `verbatim migrate`: what each start does first. Online migrations are left to the servers, which run while these do. */
export function run(): Promise<number> {
  return withDatabase(readSettings(process.env), 'migrate', async () => {
    process.stdout.write('The database has the schema of this version.\n');
    return 0;
  });
}
