import { describe, expect, it } from '@jest/globals';
import { AesSealing } from '../../src/platform/encryption/aes-sealing.js';
import { LocalKeyRing } from '../../src/platform/encryption/local-key-ring.js';
import { KeyRing, type WrappedKey } from '../../src/ports/index.js';
import { keysOf } from '../support/sealing.js';

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
    const sealing = new AesSealing(ring, true, 10);
    const { stored } = await sealing.create('one');
    const [first, second] = [sealing.unwrap(stored), sealing.unwrap(stored)];
    sealing.drop('one');
    ring.answer();
    await Promise.all([first, second]);
    expect(sealing.known('one')).toBeNull();

    const again = sealing.unwrap(stored);
    ring.answer();
    const key = await again;
    expect(sealing.known('one')).toBe(key);
  });

  it('are dropped when they were not used for a time', async () => {
    let now = 0;
    const sealing = new AesSealing(new LocalKeyRing(keysOf('first')), true, 10, () => now);
    for (const id of ['one', 'two']) sealing.keep(id, (await sealing.create(id)).key);
    now = 60;
    expect(sealing.known('one')).not.toBeNull();
    now = 100;
    sealing.dropUnused(50);
    expect([sealing.known('one') === null, sealing.known('two') === null]).toEqual([false, true]);
  });
});
