import { NodeCryptography } from './adapters/system/node-cryptography.js';
import { readSignerKey, verifierKey } from './core/proofs/note.js';
import { newSignerKey } from './worker/transparency/checkpoint-signer.js';

/** `npm run -s tlog-key -- NAME`: prints a new private key for TLOG_KEY to standard output, and the public key that belongs to it to standard error. */
const [name] = process.argv.slice(2);
if (!name) {
  process.stderr.write('Usage: npm run -s tlog-key -- chat.example.com/log\n');
  process.exit(2);
}
try {
  const cryptography = new NodeCryptography();
  const signer = newSignerKey(cryptography, name);
  const publicKey = verifierKey(cryptography.sha256, { name, key: cryptography.publicKey(readSignerKey(signer)!.key) });
  process.stdout.write(`${signer}\n`);
  process.stderr.write(`The public key, for those who verify: ${publicKey}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(2);
}
