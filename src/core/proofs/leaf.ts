import { concat, leafHash, type Sha256 } from './tree.js';

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
  const number = new Uint8Array(8);
  new DataView(number.buffer).setBigUint64(0, BigInt(seq));
  return concat([FORMAT, uuidBytes(sessionId), number, hash]);
}

export function leafHashOf(sha256: Sha256, leaf: Leaf): Uint8Array {
  return leafHash(sha256, leafData(leaf));
}

function uuidBytes(uuid: string): Uint8Array {
  return Uint8Array.from(uuid.replaceAll('-', '').match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
