import { AesEncryption } from '../../src/platform/encryption/aes-encryption.js';
import { KeyRings } from '../../src/platform/encryption/key-rings.js';
import { LocalKeyRing } from '../../src/platform/encryption/local-key-ring.js';
import type { Encryption } from '../../src/ports/index.js';

/** As without settings: nothing is encrypted, and there is no key. */
export const NO_ENCRYPTION: Encryption = new AesEncryption(new KeyRings([]), false, 1);

/** Keys by name, for a LocalKeyRing or, as `textOf`, for ENCRYPTION_KEYS. */
export const keysOf = (...names: readonly string[]): ReadonlyMap<string, Uint8Array> => new Map(names.map((name) => [name, Buffer.alloc(32, name)]));

export const textOf = (keys: ReadonlyMap<string, Uint8Array>): string =>
  [...keys].map(([name, key]) => `${name}:${Buffer.from(key).toString('base64')}`).join(',');

/** Encrypts, with the first of these keys. */
export const encryptionWith = (...names: readonly string[]): Encryption => new AesEncryption(new LocalKeyRing(keysOf(...names)), true, 1_000);
