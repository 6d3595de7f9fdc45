import { describe, expect, it } from '@jest/globals';
import { AesEncryption } from '../../src/platform/encryption/aes-encryption.js';
import { LocalKeyRing } from '../../src/platform/encryption/local-key-ring.js';
import { KeyRing, type WrappedKey } from '../../src/ports/index.js';
import { keysOf } from '../support/encryption.js';

/** Answers when it is told to. */
class SlowKeyRing extends KeyRing {
  readonly #ring = new LocalKeyRing(keysOf('first'));
  answer: () => void = () => {};
  has = (): boolean => true;
  wrap = (key: Uint8Array, owner: string): Promise<WrappedKey> => this.#ring.wrap(key, owner);
  unwrap = async (wrapped: WrappedKey, owner: string): Promise<Uint8Array> => {
    await new Promise<void>((resolve) => (this.answer = resolve));
    return this.#ring.unwrap(wrapped, owner);
  };
}

describe('data keys in memory', () => {
  it('are not kept when their owner is erased while the key ring is asked', async () => {
    const ring = new SlowKeyRing();
    const encryption = new AesEncryption(ring, true, 10);
    const { stored } = await encryption.create('one');
    const [first, second] = [encryption.unwrap(stored), encryption.unwrap(stored)];
    encryption.drop('one');
    ring.answer();
    await Promise.all([first, second]);
    expect(encryption.known('one')).toBeNull();

    const again = encryption.unwrap(stored);
    ring.answer();
    const key = await again;
    expect(encryption.known('one')).toBe(key);
  });

  it('are dropped when they were not used for a time', async () => {
    let now = 0;
    const encryption = new AesEncryption(new LocalKeyRing(keysOf('first')), true, 10, () => now);
    for (const id of ['one', 'two']) encryption.keep(id, (await encryption.create(id)).key);
    now = 60;
    expect(encryption.known('one')).not.toBeNull();
    now = 100;
    encryption.dropUnused(50);
    expect([encryption.known('one') === null, encryption.known('two') === null]).toEqual([false, true]);
  });
});
