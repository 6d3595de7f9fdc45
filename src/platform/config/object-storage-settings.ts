import { z } from 'zod';
import { blobStore } from './blob-store-url.js';
import { count, milliseconds } from './kinds.js';

/** Bytes of files, and logs of cold sessions, in object storage. */
export const OBJECT_STORAGE_SETTINGS = {
  BLOB_STORE: blobStore.optional(),
  BLOB_STORE_TIMEOUT_MS: milliseconds(30_000),
  BLOB_ORPHAN_MS: milliseconds(3_600_000),
  BLOB_REMOVAL_INTERVAL_MS: milliseconds(5_000),
  ARCHIVE_AFTER_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  ARCHIVE_INTERVAL_MS: milliseconds(3_600_000),
  ARCHIVE_MAX_BYTES: count(16_777_216, 268_435_456),
};
