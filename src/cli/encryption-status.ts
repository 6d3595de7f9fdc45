import { plainSessions } from '../platform/encryption/plain-sessions.js';
import { readSettings } from '../platform/config/env.js';
import { withDatabase } from './with-database.js';

/** `verbatim encryption-status` */
export async function run(): Promise<number> {
  const settings = readSettings(process.env);
  return withDatabase(settings, 'encryption-status', async (connection) => {
    const { sessions, plain } = await plainSessions(connection);
    process.stdout.write(`Encryption is ${settings.ENCRYPTION}. ${plain} of ${sessions} sessions hold messages or prompts in plain text.\n`);
    return settings.ENCRYPTION === 'on' && plain > 0 ? 1 : 0;
  });
}
