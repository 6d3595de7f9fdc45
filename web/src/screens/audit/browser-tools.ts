import { sha256 } from '@noble/hashes/sha2.js';
import type { Tools } from '../../../../packages/proofs/verification/verify-log.ts';

/** What the verifier needs: hashes one by one, which the cryptography of the browser gives in promises only, and signatures, which it verifies itself. */
export const BROWSER: Tools = {
  sha256,
  verify: async (publicKey, text, signature) => {
    const key = await keyOf(publicKey);
    return crypto.subtle.verify('Ed25519', key, signature as BufferSource, text as BufferSource);
  },
};

async function keyOf(publicKey: Uint8Array): Promise<CryptoKey> {
  if (!globalThis.crypto?.subtle) throw new Error('Browsers verify signatures on secure pages only: https, or this machine.');
  try {
    return await crypto.subtle.importKey('raw', publicKey as BufferSource, 'Ed25519', false, ['verify']);
  } catch {
    throw new Error('This browser cannot verify signatures of Ed25519. Save the log and use `verbatim verify`.');
  }
}
