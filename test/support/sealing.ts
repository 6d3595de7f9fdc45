import { AesSealing } from '../../src/platform/encryption/aes-sealing.js';
import { KeyRings } from '../../src/platform/encryption/key-rings.js';
import { LocalKeyRing } from '../../src/platform/encryption/local-key-ring.js';
import type { Sealing } from '../../src/ports/index.js';

/** As without settings: nothing is encrypted, and there is no key. */
export const NO_SEALING: Sealing = new AesSealing(new KeyRings([]), false, 1);

/** Keys by name, for a LocalKeyRing or, as `textOf`, for SEALING_KEYS. */
export const keysOf = (...names: readonly string[]): ReadonlyMap<string, Uint8Array> => new Map(names.map((name) => [name, Buffer.alloc(32, name)]));

export const textOf = (keys: ReadonlyMap<string, Uint8Array>): string =>
  [...keys].map(([name, key]) => `${name}:${Buffer.from(key).toString('base64')}`).join(',');

/** Encrypts, with the first of these keys. */
export const sealingWith = (...names: readonly string[]): Sealing => new AesSealing(new LocalKeyRing(keysOf(...names)), true, 1_000);
