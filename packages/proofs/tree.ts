/** The Merkle tree of RFC 6962: SHA-256, with different prefixes for leaves and nodes, so that a node cannot be presented as a leaf. */

export type Sha256 = (content: Uint8Array) => Uint8Array;

export const HASH_BYTES = 32;

export function leafHash(sha256: Sha256, data: Uint8Array): Uint8Array {
  const prefixed = new Uint8Array(1 + data.length); // its first byte is 0
  prefixed.set(data, 1);
  return sha256(prefixed);
}

export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(1 + 2 * HASH_BYTES);
  both[0] = 1;
  both.set(left, 1);
  both.set(right, 1 + HASH_BYTES);
  return sha256(both);
}

/** Root of the tree over these leaf hashes; also of a subtree, over its nodes of one height, when all of them are complete. */
export function rootOf(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return sha256(new Uint8Array());
  return subtree(0, hashes.length);

  function subtree(from: number, to: number): Uint8Array {
    if (to - from === 1) return hashes[from]!;
    const middle = from + splitOf(to - from);
    return nodeHash(sha256, subtree(from, middle), subtree(middle, to));
  }
}

/** The number of leaves in the left subtree of a tree with `size` > 1 leaves: the largest power of two below it. */
export function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2; // sizes exceed 32 bits: no shifts
  return split;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function equal(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

/** `bytes` as hashes of 32 bytes each. */
export function hashesIn(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.floor(bytes.length / HASH_BYTES) }, (_, index) => bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES));
}
