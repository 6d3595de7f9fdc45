import { createHash } from 'node:crypto';
import { Digest } from '../../core/ports.js';

export class Sha256Digest extends Digest {
  sha256(text: string): string {
    return createHash('sha256').update(text, 'utf8').digest('hex');
  }
}
