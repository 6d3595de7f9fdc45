export interface BlobHead {
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  readonly bytes: number;
}

export interface Blob extends BlobHead {
  readonly content: Uint8Array;
}

/** Images and documents, kept once per tenant and content. A session reads the ones that were put for it, and no others. */
export abstract class Blobs {
  /** Repeating is harmless. */
  abstract put(tenantId: string, sessionId: string, mediaType: string, content: Uint8Array): Promise<BlobHead>;
  /** Those of the named ones that the session may read, by SHA-256. */
  abstract get(tenantId: string, sessionId: string, sha256s: readonly string[]): Promise<ReadonlyMap<string, Blob>>;
  /** Bytes of all that the session may read. */
  abstract size(tenantId: string, sessionId: string): Promise<number>;
  /** Lets another session of the tenant read what this one may read now. */
  abstract share(tenantId: string, fromSessionId: string, toSessionId: string): Promise<void>;
}
