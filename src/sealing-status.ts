import { readSettings } from './config/env.js';
import { plainSessions } from './adapters/sealing/plain-sessions.js';
import { withDatabase } from './with-database.js';

/**
 * `npm run -s sealing-status`, or in an image `node dist/src/sealing-status.js`: counts the sessions with messages or prompts in plain text. May run beside the server. Ends with 1 when
 * sealing is on and there are some.
 */
const settings = readSettings(process.env);
await withDatabase(settings, 'sealing-status', async (connection) => {
  const { sessions, plain } = await plainSessions(connection);
  process.stdout.write(`Sealing is ${settings.SEALING}. ${plain} of ${sessions} sessions hold messages or prompts in plain text.\n`);
  if (settings.SEALING === 'on' && plain > 0) process.exitCode = 1;
});
