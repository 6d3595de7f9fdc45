import { moveBlobs } from '../platform/blobs/move-blobs.js';
import { openStorage, proveStorage } from '../platform/blobs/open-blobs.js';
import { readSettings } from '../platform/config/env.js';
import { withDatabase } from './with-database.js';

/** `verbatim move-blobs`: repeated, it continues. */
export async function run(): Promise<number> {
  const settings = readSettings(process.env);
  const objects = await openStorage(settings);
  if (!objects) {
    process.stderr.write('There is no object storage: set BLOB_STORE.\n');
    return 2;
  }
  try {
    await proveStorage(objects, (problem) => process.stderr.write(`${problem}\n`));
    const { files, bytes, left } = await withDatabase(settings, 'move-blobs', (connection) => moveBlobs(connection, objects, settings.BLOB_ORPHAN_MS));
    process.stdout.write(`${files} files with ${bytes} bytes are in the object storage now.\n`);
    if (left === 0) return 0;
    process.stderr.write(
      `${left} files were left where they are, because they changed meanwhile or did not come back unchanged from the storage; repeat the command.\n`,
    );
    return 1;
  } finally {
    objects.close();
  }
}
