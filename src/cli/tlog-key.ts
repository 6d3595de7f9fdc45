import { NodeCryptography } from '../platform/system/node-cryptography.js';
import { readSignerKey, verifierKey } from '../../packages/proofs/note.js';
import { newSignerKey } from '../features/proofs/checkpoint-signer.js';
import { UsageError } from './usage-error.js';

/** `verbatim tlog-key` */
export function run([name]: readonly string[]): number {
  if (!name) throw new UsageError('No name is given.');
  try {
    const cryptography = new NodeCryptography();
    const signer = newSignerKey(cryptography, name);
    const publicKey = verifierKey(cryptography.sha256, { name, key: cryptography.publicKey(readSignerKey(signer)!.key) });
    process.stdout.write(`${signer}\n`);
    process.stderr.write(`The public key, for those who verify: ${publicKey}\n`);
    return 0;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
