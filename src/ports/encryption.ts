/** A key under which another key is encrypted, and the result. */
export interface WrappedKey {
  /** Which key of the key ring. */
  readonly keyId: string;
  readonly wrapped: Uint8Array;
}

/** Keys that are kept outside the database. They encrypt other keys only. `owner`: the id of the wrapped key; a wrapped key cannot be used as that of another owner. */
export abstract class KeyRing {
  /** Whether it has, or can ask for, the key. */
  abstract has(keyId: string): boolean;
  /** With the current key of the ring. */
  abstract wrap(key: Uint8Array, owner: string): Promise<WrappedKey>;
  /** Rejected with `key_unavailable`, which names the key, when the ring does not have it or it does not fit. */
  abstract unwrap(wrapped: WrappedKey, owner: string): Promise<Uint8Array>;
}

/** The key of one session or file. `context` is authenticated with the content: opened under another one, it counts as altered. */
export interface DataKey {
  encrypt(content: Uint8Array, context: string): Uint8Array;
  /** Null: the content was altered. */
  open(encrypted: Uint8Array, context: string): Uint8Array | null;
  /** The same for large content, without holding the event loop. */
  encryptLarge(content: Uint8Array, context: string): Promise<Uint8Array>;
  openLarge(encrypted: Uint8Array, context: string): Promise<Uint8Array | null>;
  /** A salt to be stored: random. 16 bytes. */
  newSalt(): Uint8Array;
  /** The salt of a digest, from the one that is stored: without the key, the digest confirms no guess. 16 bytes. */
  saltFrom(stored: Uint8Array): Uint8Array;
}

/** A data key as it is stored. */
export interface StoredKey extends WrappedKey {
  readonly id: string;
}

/** Bytes that `encrypt` adds. */
export const ENCRYPTION_BYTES = 28;

/** Encryption of content before it reaches the database, with a data key per session or file that a KeyRing wraps. */
export abstract class Encryption {
  /** Whether new content is encrypted. What was encrypted earlier can be opened either way, while its keys are there. */
  abstract readonly isOn: boolean;
  /** A new key. It is not known before `keep`. */
  abstract create(id: string): Promise<{ readonly key: DataKey; readonly stored: StoredKey }>;
  /** A key that was kept, without asking the key ring; null when it was not, or was dropped since. */
  abstract known(id: string): DataKey | null;
  abstract keep(id: string, key: DataKey): void;
  /** Asks the key ring, and keeps the key. Rejected with `key_unavailable`. */
  abstract unwrap(stored: StoredKey): Promise<DataKey>;
  /** Forgets a key, because its owner was erased. */
  abstract drop(id: string): void;
  /** Forgets the keys that were not used for so many milliseconds: of an erased owner, in a process that was not told of the erasure. */
  abstract dropUnused(idleMs: number): void;
}
