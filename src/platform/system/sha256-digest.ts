import { hash } from 'node:crypto';
import { Digest } from '../../ports/index.js';

export class Sha256Digest extends Digest {
  sha256(text: string | Uint8Array, bytes?: number): string {
    return bytes === undefined ? hash('sha256', text, 'hex') : hash('sha256', text, 'buffer').toString('hex', 0, bytes);
  }
}
