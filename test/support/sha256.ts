import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

export const sha256 = (content: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(content).digest());

/** Hexadecimal. */
export const sha256OfText = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Ed25519 with keys as plain bytes. */
export const ed25519 = {
  publicKey: (seed: Uint8Array): Uint8Array => new Uint8Array(createPublicKey(privateKey(seed)).export({ format: 'der', type: 'spki' }).subarray(-32)),
  sign: (seed: Uint8Array, text: Uint8Array): Uint8Array => new Uint8Array(sign(null, text, privateKey(seed))),
  verify: (publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean =>
    verify(null, text, createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: 'der', type: 'spki' }), signature),
};

const privateKey = (seed: Uint8Array) => createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
