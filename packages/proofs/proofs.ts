import { hashesOnLevel, type Tile, TILE_HEIGHT, TILE_WIDTH, widthOf } from './tiles.js';
import { nodeHash, rootOf, type Sha256, splitOf } from './tree.js';

/** Leaves `from` to `to`, the last one not included. A proof is the hashes of some ranges. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The ranges of the inclusion proof of a leaf in the tree of the first `size` leaves (RFC 6962, 2.1.1), lowest first. */
export function inclusionRanges(index: number, size: number): readonly Range[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`A tree of ${size} leaves has no leaf ${index}`);
  const ranges: Range[] = [];
  for (let from = 0, to = size; to - from > 1;) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      ranges.unshift({ from: middle, to });
      to = middle;
    } else {
      ranges.unshift({ from, to: middle });
      from = middle;
    }
  }
  return ranges;
}

/** The ranges of the proof that the tree of the first `size` leaves begins with that of the first `earlier` ones (RFC 6962, 2.1.2). */
export function consistencyRanges(earlier: number, size: number): readonly Range[] {
  if (!(earlier >= 1 && earlier <= size)) throw new RangeError(`There is no consistency proof between trees of ${earlier} and ${size} leaves`);
  const ranges: Range[] = [];
  let [from, to] = [0, size];
  while (earlier !== to) {
    const middle = from + splitOf(to - from);
    if (earlier <= middle) {
      ranges.unshift({ from: middle, to });
      to = middle;
    } else {
      ranges.unshift({ from, to: middle });
      from = middle;
    }
  }
  return from === 0 ? ranges : [{ from, to }, ...ranges];
}

/** Complete subtrees of a range, left to right: 2^height leaves, the index-th such subtree of the tree. */
function subtrees({ from, to }: Range): readonly { readonly height: number; readonly index: number }[] {
  const parts: { readonly height: number; readonly index: number }[] = [];
  for (let at = from; at < to;) {
    let height = 0;
    while (2 ** (height + 1) <= to - at && at % 2 ** (height + 1) === 0) height += 1;
    parts.push({ height, index: at / 2 ** height });
    at += 2 ** height;
  }
  return parts;
}

/** The hashes of one tile that a subtree is made of. */
function placeOf({ height, index }: { readonly height: number; readonly index: number }): Tile & { readonly offset: number; readonly count: number } {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height - level * TILE_HEIGHT);
  const first = index * count;
  return { level, index: Math.floor(first / TILE_WIDTH), offset: first % TILE_WIDTH, count };
}

/** The tiles that the hashes of these ranges are computed from, each once. */
export function tilesFor(ranges: readonly Range[]): readonly Tile[] {
  const tiles = ranges.flatMap(subtrees).map(placeOf);
  return [...new Map(tiles.map(({ level, index }) => [`${level}/${index}`, { level, index }])).values()];
}

/** The tiles that hold the right edge of a tree of `size` leaves, one per level; a level with no hash in an incomplete tile has none. */
export function edgeTiles(size: number): readonly Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; hashesOnLevel(level, size) > 0; level += 1) {
    const index = Math.floor(hashesOnLevel(level, size) / TILE_WIDTH);
    if (widthOf({ level, index }, size) > 0) tiles.push({ level, index });
  }
  return tiles;
}

/** The stored tree is not whole: something was taken out of it. */
export class MissingHashes extends Error {}

export type TileHashes = (tile: Tile) => readonly Uint8Array[];

/** The hash of each range, from the tiles. */
export function hashesOf(sha256: Sha256, ranges: readonly Range[], tiles: TileHashes): readonly Uint8Array[] {
  return ranges.map((range) => {
    const parts = subtrees(range).map((part) => {
      const place = placeOf(part);
      const hashes = tiles(place).slice(place.offset, place.offset + place.count);
      if (hashes.length < place.count) throw new MissingHashes(`tile ${place.level}/${place.index} has fewer hashes than the tree`);
      return rootOf(sha256, hashes);
    });
    return parts.reduceRight((right, left) => nodeHash(sha256, left, right));
  });
}

/** The root of the tree of the first `size` leaves is the hash of this one range. */
export function wholeTree(size: number): readonly Range[] {
  return size === 0 ? [] : [{ from: 0, to: size }];
}
