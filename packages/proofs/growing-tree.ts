import { nodeHash, rootOf, type Sha256 } from './tree.js';
import { hashesOnLevel, type Tile, TILE_WIDTH } from './tiles.js';

/** A tile that has all its hashes, and the root over them. */
export interface FullTile extends Tile {
  readonly hashes: readonly Uint8Array[];
  readonly root: Uint8Array;
}

/** The right edge of a tree: the hashes of the tile that is not full yet, for each level. Enough to add leaves and to compute the root. */
export class GrowingTree {
  readonly #edge: Uint8Array[][];
  #size: number;

  /** `edge`: the hashes of the last tile per level, lowest first; empty for a full one. */
  constructor(
    private readonly sha256: Sha256,
    size = 0,
    edge: readonly (readonly Uint8Array[])[] = [],
  ) {
    this.#size = size;
    this.#edge = edge.map((hashes) => [...hashes]);
    for (let level = 0; hashesOnLevel(level, size) > 0; level += 1) {
      if ((this.#edge[level] ?? []).length !== hashesOnLevel(level, size) % TILE_WIDTH) {
        throw new Error(`The edge of a tree of ${size} leaves has ${this.#edge[level]?.length ?? 0} hashes on level ${level}`);
      }
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a leaf hash; returns the tiles that are full now, lowest level first. */
  add(leaf: Uint8Array): readonly FullTile[] {
    const full: FullTile[] = [];
    let hash = leaf;
    for (let level = 0; ; level += 1) {
      const hashes = (this.#edge[level] ??= []);
      hashes.push(hash);
      if (hashes.length < TILE_WIDTH) break;
      this.#edge[level] = [];
      hash = rootOf(this.sha256, hashes);
      full.push({ level, index: Math.floor(this.#size / TILE_WIDTH ** (level + 1)), hashes, root: hash });
    }
    this.#size += 1;
    return full;
  }

  root(): Uint8Array {
    let right: Uint8Array | null = null;
    for (const hashes of this.#edge) {
      // The complete subtrees of a level, from the right: 1 hash, 2 hashes, 4 hashes, as the bits of the number are set.
      for (let count = 1, end = hashes.length; end > 0; count *= 2) {
        if (end % (count * 2) === 0) continue;
        const left = rootOf(this.sha256, hashes.slice(end - count, end));
        right = right === null ? left : nodeHash(this.sha256, left, right);
        end -= count;
      }
    }
    return right ?? rootOf(this.sha256, []);
  }
}
