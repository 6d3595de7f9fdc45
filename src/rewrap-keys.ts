import { openKeyRing } from './adapters/sealing/open-sealing.js';
import { rewrapKeys } from './adapters/sealing/rewrap-keys.js';
import { readSettings } from './config/env.js';
import { withDatabase } from './with-database.js';

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
await withDatabase(settings, 'rewrap-keys', async (connection) => {
  const { current, rewrapped, missing } = await rewrapKeys(connection, ring);
  process.stdout.write(`${rewrapped} data keys are now wrapped with ${current}.\n`);
  if (missing.length > 0) {
    process.stderr.write(`Others were left as they are, because the settings do not have their keys: ${missing.join(', ')}\n`);
    process.exitCode = 1;
  }
});
