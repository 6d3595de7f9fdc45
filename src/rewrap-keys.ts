import { fileURLToPath } from 'node:url';
import { openDatabase } from './adapters/postgres/open-database.js';
import { openKeyRing } from './adapters/sealing/open-sealing.js';
import { rewrapKeys } from './adapters/sealing/rewrap-keys.js';
import { Database } from './adapters/store/prisma.js';
import { readSettings } from './config/env.js';

/**
 * `npm run -s rewrap-keys`, or in an image `node dist/src/rewrap-keys.js`: wraps the data keys of all sessions and files with the current key of the settings. May run beside the
 * server. Ends with 1 when a key is missing: what it wraps is left as it is.
 */
const settings = readSettings(process.env);
const ring = await openKeyRing(settings);
if (!ring) {
  process.stderr.write('There is no key: set SEALING_KEYS, SEALING_KEY_FILE or SEALING_KMS_KEY_ID.\n');
  process.exit(2);
}
const database = await openDatabase({
  url: settings.DATABASE_URL,
  appUrl: settings.DATABASE_APP_URL,
  dataDir: settings.DATA_DIR,
  migrations: fileURLToPath(new URL('../../prisma/migrations', import.meta.url)),
  waitMs: settings.DATABASE_TIMEOUT_MS,
  statementTimeoutMs: settings.DATABASE_TIMEOUT_MS,
  setupTimeoutMs: settings.DATABASE_SETUP_TIMEOUT_MS,
  log: () => undefined,
});
const connection = new Database({ url: database.appUrl, poolSize: 1, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName: 'verbatim rewrap-keys' });
try {
  const { current, rewrapped, missing } = await rewrapKeys(connection, ring);
  process.stdout.write(`${rewrapped} data keys are now wrapped with ${current}.\n`);
  if (missing.length > 0) {
    process.stderr.write(`Others were left as they are, because the settings do not have their keys: ${missing.join(', ')}\n`);
    process.exitCode = 1;
  }
} finally {
  await connection.close();
  await database.close();
}
