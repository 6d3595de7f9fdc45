import { leafHash, type Sha256 } from './tree.js';

/** What a leaf of the transparency log stands for. */
export interface Leaf {
  readonly sessionId: string;
  readonly seq: number;
  /** The event's hash in the chain of its session: 32 bytes. */
  readonly hash: Uint8Array;
}

const FORMAT = new TextEncoder().encode('verbatim event 1');

/**
 * The bytes of a leaf: the name of the format (16 bytes), the session id (16), the seq (8, big-endian), the chain hash (32). The chain hash covers salted content:
 * who has the hash of a leaf, which is public, can test no guess of what happened, nor of the session.
 */
export function leafData({ sessionId, seq, hash }: Leaf): Uint8Array {
  // One array: a busy log has thousands of leaves a second.
  const data = new Uint8Array(FORMAT.length + 16 + 8 + hash.length);
  data.set(FORMAT);
  writeUuid(data, FORMAT.length, sessionId);
  new DataView(data.buffer).setBigUint64(FORMAT.length + 16, BigInt(seq));
  data.set(hash, FORMAT.length + 24);
  return data;
}

export function leafHashOf(sha256: Sha256, leaf: Leaf): Uint8Array {
  return leafHash(sha256, leafData(leaf));
}

function writeUuid(data: Uint8Array, at: number, uuid: string): void {
  let [next, high] = [at, -1];
  for (let index = 0; index < uuid.length; index += 1) {
    const code = uuid.charCodeAt(index);
    if (code === DASH) continue;
    const digit = code <= NINE ? code - ZERO : (code | LOWER_CASE) - A + 10;
    if (high < 0) high = digit;
    else {
      data[next] = high * 16 + digit;
      next += 1;
      high = -1;
    }
  }
}

const [DASH, ZERO, NINE, A, LOWER_CASE] = ['-', '0', '9', 'a', ' '].map((character) => character.charCodeAt(0)) as [number, number, number, number, number];
