import { equal, nodeHash, type Sha256 } from './tree.js';

/** The root of a tree of `size` leaves in which the leaf at `index` has the given hash, according to an inclusion proof; null for a proof of another length. */
export function rootByInclusion(sha256: Sha256, index: number, size: number, leaf: Uint8Array, proof: readonly Uint8Array[]): Uint8Array | null {
  if (!(index >= 0 && index < size)) return null;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sha256, sibling, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      hash = nodeHash(sha256, hash, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : null;
}

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether the leaves of `earlier` are the first leaves of `later`, according to a consistency proof. */
export function isConsistent(sha256: Sha256, earlier: TreeHead, later: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (earlier.size > later.size) return false;
  if (earlier.size === later.size) return proof.length === 0 && equal(earlier.root, later.root);
  if (earlier.size === 0) return proof.length === 0 && equal(earlier.root, sha256(new Uint8Array()));
  let [at, last] = [earlier.size - 1, later.size - 1];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  const [first, ...rest] = at === 0 ? [earlier.root, ...proof] : proof;
  if (first === undefined) return false;
  let [old, now] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [old, now] = [nodeHash(sha256, sibling, old), nodeHash(sha256, sibling, now)];
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else {
      now = nodeHash(sha256, now, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && equal(old, earlier.root) && equal(now, later.root);
}
