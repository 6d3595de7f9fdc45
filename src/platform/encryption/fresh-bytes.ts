import { randomFillSync } from 'node:crypto';

/** Filled at once: a call for each nonce and salt costs as much as the encryption of a kilobyte. */
const POOL_BYTES = 4_096;

let pool = Buffer.alloc(0);
let used = 0;

/** Random bytes for nonces and salts, which are stored beside what they are for: not for keys, since later ones of the pool stay in memory. */
export function freshBytes(count: number): Buffer {
  if (used + count > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafeSlow(POOL_BYTES)); // a new one: earlier bytes may still be in use
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}
