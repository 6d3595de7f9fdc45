export interface BlobHead {
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: number;
}

export interface Blob extends BlobHead {
  readonly content: Uint8Array;
}

/** Stored bytes that do not have their SHA-256, or cannot be decrypted. */
export class AlteredBlob extends Error {}

/** Images and documents, stored once per tenant and content. A session can read only blobs that were put for it or shared with it. */
export abstract class Blobs {
  /** Idempotent. Rejected with `unavailable` when the storage does not take the bytes: then nothing is stored. */
  abstract put(tenantId: string, sessionId: string, mediaType: string, content: Uint8Array): Promise<BlobHead>;
  /** By SHA-256, those that the session may read; others are absent. Rejected with AlteredBlob when one was changed or damaged. */
  abstract get(tenantId: string, sessionId: string, sha256s: readonly string[]): Promise<ReadonlyMap<string, Blob>>;
  /** Total bytes of the blobs that the session may read. */
  abstract size(tenantId: string, sessionId: string): Promise<number>;
  /** The SHA-256 of all blobs that the session may read. */
  abstract list(tenantId: string, sessionId: string): Promise<readonly string[]>;
  /** Rejected with `unavailable` when the bytes of files cannot be read or stored now, for another reason than the database. */
  abstract reachable(): Promise<void>;
  /** Lets another session of the tenant read the blobs that this one may read now. */
  abstract share(tenantId: string, fromSessionId: string, toSessionId: string): Promise<void>;
}

/** Objects in the object storage that no file names any more: of erased files, and of puts that were never completed. */
export abstract class UnusedObjects {
  /** False: files lie in the database only. */
  abstract readonly isOn: boolean;
  /** Removes what is due, until nothing is, or `stopped` says so. What cannot be removed now stays due. */
  abstract remove(stopped: () => boolean): Promise<{ readonly failures: readonly unknown[]; readonly due: number; readonly oldestSeconds: number }>;
}
