import { KeyRing, type WrappedKey } from '../../ports/index.js';
import { KEY_BYTES, openWith, encryptWith } from './aes-data-key.js';
import { keyUnavailable } from './key-unavailable.js';

/** Keys from a setting or a file, by name; the first one is the current one. */
export class LocalKeyRing extends KeyRing {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #current: string;

  constructor(keys: ReadonlyMap<string, Uint8Array>) {
    super();
    const [current] = keys.keys();
    if (current === undefined) throw new Error('A key ring needs a key.');
    this.#keys = keys;
    this.#current = current;
  }

  override has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  override async wrap(key: Uint8Array, owner: string): Promise<WrappedKey> {
    return { keyId: this.#current, wrapped: encryptWith(this.#keys.get(this.#current)!, key, `key ${owner}`) };
  }

  override async unwrap({ keyId, wrapped }: WrappedKey, owner: string): Promise<Uint8Array> {
    const key = this.#keys.get(keyId);
    if (!key) throw keyUnavailable(keyId, 'is not among the keys of this server');
    const opened = openWith(key, wrapped, `key ${owner}`);
    if (!opened) throw keyUnavailable(keyId, 'is not the one that was used, or the stored data key was altered');
    return opened;
  }
}

/**
 * Reads `name:key` items, separated by commas or line breaks; a line that begins with `#` is a comment. A key is 32 bytes in base64. Throws an error that says what is wrong,
 * without the key.
 */
export function readKeys(text: string, source: string): ReadonlyMap<string, Uint8Array> {
  const items = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const keys = new Map<string, Uint8Array>();
  for (const [index, item] of items.entries()) {
    const [, name = '', encoded = ''] = /^([\w.-]{1,100}):([A-Za-z0-9+/]{43}=)$/.exec(item) ?? [];
    if (name === '')
      throw new Error(`${source}: item ${index + 1} must be a name, a colon and ${KEY_BYTES} bytes in base64, such as 2026-01:$(openssl rand -base64 32)`);
    if (keys.has(name)) throw new Error(`${source}: there are two keys with the name ${name}`);
    keys.set(name, Buffer.from(encoded, 'base64'));
  }
  return keys;
}
