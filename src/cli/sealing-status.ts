import { plainSessions } from '../platform/encryption/plain-sessions.js';
import { readSettings } from '../platform/config/env.js';
import { withDatabase } from './with-database.js';

/** `verbatim sealing-status` */
export async function run(): Promise<number> {
  const settings = readSettings(process.env);
  return withDatabase(settings, 'sealing-status', async (connection) => {
    const { sessions, plain } = await plainSessions(connection);
    process.stdout.write(`Sealing is ${settings.SEALING}. ${plain} of ${sessions} sessions hold messages or prompts in plain text.\n`);
    return settings.SEALING === 'on' && plain > 0 ? 1 : 0;
  });
}
