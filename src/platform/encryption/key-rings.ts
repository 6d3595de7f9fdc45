import { KeyRing, type WrappedKey } from '../../ports/index.js';
import { keyUnavailable } from './key-unavailable.js';

/** Several key rings: new keys are wrapped with the first, others are unwrapped with the one that has their key. Without a ring, nothing can be unwrapped. */
export class KeyRings extends KeyRing {
  constructor(private readonly rings: readonly KeyRing[]) {
    super();
  }

  override has(keyId: string): boolean {
    return this.rings.some((ring) => ring.has(keyId));
  }

  override async wrap(key: Uint8Array, owner: string): Promise<WrappedKey> {
    const [first] = this.rings;
    if (!first) throw new Error('There is no key ring.');
    return first.wrap(key, owner);
  }

  override async unwrap(wrapped: WrappedKey, owner: string): Promise<Uint8Array> {
    const ring = this.rings.find((one) => one.has(wrapped.keyId));
    if (!ring) throw keyUnavailable(wrapped.keyId, 'is not among the keys of this server');
    return ring.unwrap(wrapped, owner);
  }
}
