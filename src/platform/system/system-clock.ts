import { randomUUID } from 'node:crypto';
import { Clock } from '../../ports/index.js';

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }

  uuid(): string {
    return randomUUID();
  }
}
