import type { Encryption } from '../../ports/index.js';
import { type Settings, SettingsError } from '../config/env.js';
import { LASTING, StorageError } from './object-storage.js';
import { type BlobOptions, PostgresBlobs } from './postgres-blobs.js';
import { S3Storage } from './s3-storage.js';

export type BlobSettings = Pick<Settings, 'BLOB_STORE' | 'BLOB_STORE_TIMEOUT_MS' | 'BLOB_ORPHAN_MS'>;

/** The object storage of the settings; null without one. */
export async function openStorage({ BLOB_STORE: address, BLOB_STORE_TIMEOUT_MS: timeoutMs }: BlobSettings): Promise<S3Storage | null> {
  try {
    return address ? await S3Storage.open({ address, timeoutMs }) : null;
  } catch (error) {
    throw new SettingsError(`The settings are not usable:\n  ${(error as Error).message}`, { cause: error });
  }
}

/** `objects`: from `openStorage`; it is closed with the blobs. */
export function openBlobs(settings: BlobSettings, objects: S3Storage | null, options: BlobOptions, encryption: Encryption): PostgresBlobs {
  return new PostgresBlobs({ ...options, objects, orphanMs: settings.BLOB_ORPHAN_MS }, encryption);
}

/** Ends a start that cannot succeed by waiting: no such bucket, or no right to it. A storage that does not answer now is reported, and the start continues. */
export async function proveStorage(objects: S3Storage, report: (problem: string, error: unknown) => void): Promise<void> {
  try {
    await objects.check();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const problem = `BLOB_STORE: the object storage ${error.said}`;
    if (LASTING.has(error.fault)) throw new SettingsError(`The settings are not usable:\n  ${problem}`, { cause: error });
    report(problem, error.cause);
  }
}
