import { DomainError } from '../../../packages/protocol/errors.js';

/**
 * What went wrong, for clients (`storage` of the problem), the log and metrics: it does not answer in time, answers that it is busy, cannot be reached, is full, refuses the credentials, has no
 * such bucket, received other bytes than were sent, or is not named in the settings.
 */
export type StorageFault = 'timeout' | 'busy' | 'unreachable' | 'full' | 'denied' | 'no_bucket' | 'bytes_changed' | 'failed' | 'not_configured';

/** Faults that waiting does not change: a start ends with them. */
export const LASTING: ReadonlySet<StorageFault> = new Set(['denied', 'no_bucket']);

const SAID: Readonly<Record<StorageFault, string>> = {
  timeout: 'did not answer in time',
  busy: 'is busy',
  unreachable: 'cannot be reached',
  full: 'is full',
  denied: 'refuses the credentials of this server',
  no_bucket: 'does not have the bucket of the settings',
  bytes_changed: 'received other bytes than were sent',
  failed: 'answered with an error',
  not_configured: 'has this file, and this server has no BLOB_STORE to read it from',
};

/** The value of the header Retry-After. */
const RETRY_AFTER_SECONDS = 5;

/** A 503 to clients; turns that need the storage are tried again. `cause` goes to the log, never to a client. */
export class StorageError extends DomainError {
  constructor(
    readonly fault: StorageFault,
    cause?: unknown,
  ) {
    super('unavailable', `The object storage of files ${SAID[fault]}; nothing was changed. Retry later.`, [], {
      storage: fault,
      retryAfter: RETRY_AFTER_SECONDS,
    });
    this.cause = cause;
  }

  get said(): string {
    return SAID[this.fault];
  }
}

export type StorageOperation = 'put' | 'get' | 'remove' | 'check';

/** Bytes by name. A name is written once and never again, so that a removal that comes late cannot take what was stored since. All methods reject with StorageError. */
export abstract class ObjectStorage {
  /** `digest`: the SHA-256 of the bytes, which the storage compares if it can. */
  abstract put(name: string, bytes: Uint8Array, digest: Uint8Array): Promise<void>;
  /** At most `limit` bytes, and one more where there are more. Null: there is no such object. */
  abstract get(name: string, limit: number): Promise<Uint8Array | null>;
  /** With all versions that the storage has kept. An object that is not there is removed. */
  abstract remove(name: string): Promise<void>;
  /** Rejected when the bucket cannot be used now. */
  abstract check(): Promise<void>;
  abstract close(): void;
}
