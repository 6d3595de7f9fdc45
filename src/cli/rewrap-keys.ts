import { openKeyRing } from '../platform/encryption/open-encryption.js';
import { rewrapKeys } from '../platform/encryption/rewrap-keys.js';
import { readSettings } from '../platform/config/env.js';
import { withDatabase } from './with-database.js';

/** `verbatim rewrap-keys` */
export async function run(): Promise<number> {
  const settings = readSettings(process.env);
  const ring = await openKeyRing(settings);
  if (!ring) {
    process.stderr.write('There is no key: set ENCRYPTION_KEYS, ENCRYPTION_KEY_FILE or ENCRYPTION_KMS_KEY_ID.\n');
    return 2;
  }
  return withDatabase(settings, 'rewrap-keys', async (connection) => {
    const { current, rewrapped, missing, kept } = await rewrapKeys(connection, ring);
    process.stdout.write(`${rewrapped} data keys are now wrapped with ${current}.\n`);
    if (missing.length > 0) process.stderr.write(`Others were left as they are, because the settings do not have their keys: ${missing.join(', ')}\n`);
    if (kept > 0)
      process.stderr.write(
        `${kept} could not be changed: their tenant is frozen, or they were changed meanwhile. Repeat the command, after a thaw, before the old key is removed.\n`,
      );
    return missing.length > 0 || kept > 0 ? 1 : 0;
  });
}
