import { hash } from 'node:crypto';
import { Digest } from '../../core/ports.js';

export class Sha256Digest extends Digest {
  sha256(text: string): string {
    return hash('sha256', text, 'hex');
  }
}
