import { createPrivateKey, createPublicKey, hash, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { Cryptography } from '../../ports/index.js';

/** Plain Ed25519 keys as DER: what stands before the 32 bytes. */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export class NodeCryptography extends Cryptography {
  // Functions, because they are passed on without their object.
  override readonly sha256 = (content: Uint8Array): Uint8Array => hash('sha256', content, 'buffer');

  override readonly verify = (publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean =>
    verify(null, text, createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: 'der', type: 'spki' }), signature);

  override randomBytes(count: number): Uint8Array {
    return randomBytes(count);
  }

  override publicKey(seed: Uint8Array): Uint8Array {
    return createPublicKey(privateKey(seed)).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_PREFIX.length);
  }

  override sign(seed: Uint8Array, text: Uint8Array): Uint8Array {
    return sign(null, text, privateKey(seed));
  }
}

/** Reading a key takes longer than signing with it. A seed is not changed. */
const keys = new WeakMap<Uint8Array, KeyObject>();

function privateKey(seed: Uint8Array): KeyObject {
  const known = keys.get(seed);
  if (known) return known;
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  keys.set(seed, key);
  return key;
}
