import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.js';
import { sha256 } from '../../test/support/sha256.js';
import { GrowingTree } from './growing-tree.js';
import { consistencyRanges, edgeTiles, hashesOf, inclusionRanges, tilesFor, wholeTree } from './proofs.js';
import { type Tile, TILE_WIDTH, widthOf } from './tiles.js';
import { equal, leafHash, rootOf } from './tree.js';
import { isConsistent, rootByInclusion } from './verify.js';

const bytes = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** The reference data of Certificate Transparency for RFC 6962. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map((data) =>
  leafHash(sha256, bytes(data)),
);
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** A tree as a server keeps it: full tiles, and the hashes of the right edge. */
class Kept {
  readonly tree = new GrowingTree(sha256);
  readonly full = new Map<string, readonly Uint8Array[]>();
  readonly roots: Uint8Array[][] = [[]];

  constructor(leaves: readonly Uint8Array[]) {
    for (const leaf of leaves) {
      (this.roots[0] ??= []).push(leaf);
      for (const tile of this.tree.add(leaf)) {
        this.full.set(`${tile.level}/${tile.index}`, tile.hashes);
        (this.roots[tile.level + 1] ??= []).push(tile.root);
      }
    }
  }

  /** An incomplete tile has the roots of full tiles below it. */
  tile = ({ level, index }: Tile): readonly Uint8Array[] =>
    this.full.get(`${level}/${index}`) ?? (this.roots[level] ?? []).slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH);
}

const numbered = (count: number): readonly Uint8Array[] =>
  Array.from({ length: count }, (_, index) => leafHash(sha256, new TextEncoder().encode(String(index))));
const MANY = numbered(70_000);
const LARGE = new Kept(MANY);

const size = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 65_300, max: 66_200 }), fc.integer({ min: 1, max: MANY.length }));

describe('the tree', () => {
  it('has the roots of the reference data of RFC 6962, with and without tiles', () => {
    expect(ROOTS.map((_, count) => hex(rootOf(sha256, LEAVES.slice(0, count))))).toEqual(ROOTS);
    expect(ROOTS.map((_, count) => hex(new Kept(LEAVES.slice(0, count)).tree.root()))).toEqual(ROOTS);
  });

  it('proves as the reference data of RFC 6962 does', () => {
    const { tile } = new Kept(LEAVES);
    const proof = (ranges: Parameters<typeof hashesOf>[1]): readonly string[] => hashesOf(sha256, ranges, tile).map(hex);
    expect(proof(inclusionRanges(0, 8))).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(proof(inclusionRanges(5, 8))).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(proof(consistencyRanges(6, 8))).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(proof(consistencyRanges(8, 8))).toEqual([]);
  });

  it('has the same root from tiles as from all leaves, and continues from its edge', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 600 }), (before, more) => {
        const kept = new Kept(MANY.slice(0, before));
        const edge: (readonly Uint8Array[])[] = [];
        for (const tile of edgeTiles(before)) edge[tile.level] = kept.tile(tile);
        const continued = new GrowingTree(
          sha256,
          before,
          Array.from(edge, (hashes) => hashes ?? []),
        );
        for (const leaf of MANY.slice(before, before + more)) continued.add(leaf);
        return equal(continued.root(), rootOf(sha256, MANY.slice(0, before + more)));
      }),
      runs(60),
    );
  });

  it('rejects an edge of another size', () => {
    expect(() => new GrowingTree(sha256, 3, [MANY.slice(0, 2)])).toThrow('2 hashes on level 0');
    expect(() => new GrowingTree(sha256, 300, [MANY.slice(0, 44)])).toThrow('0 hashes on level 1');
  });
});

describe('an inclusion proof', () => {
  it('leads from any leaf to the root of any tree, and from no other leaf, index or size', () => {
    fc.assert(
      fc.property(size, fc.nat(), fc.nat(), (of, choice, other) => {
        const index = choice % of;
        const ranges = inclusionRanges(index, of);
        const root = hashesOf(sha256, wholeTree(of), LARGE.tile)[0]!;
        const proof = hashesOf(sha256, ranges, LARGE.tile);
        const leads = (leaf: Uint8Array, at: number, last: number, hashes: readonly Uint8Array[]): boolean =>
          equal(rootByInclusion(sha256, at, last, leaf, hashes) ?? new Uint8Array(), root);
        expect(leads(MANY[index]!, index, of, proof)).toBe(true);
        const another = other % of;
        if (another !== index) expect([leads(MANY[another]!, index, of, proof), leads(MANY[index]!, another, of, proof)]).toEqual([false, false]);
        expect(leads(MANY[index]!, index, of, [...proof, root])).toBe(false);
        expect(leads(MANY[index]!, index, of, proof.slice(1))).toBe(proof.length === 0);
        expect(leads(MANY[index]!, of, of, proof)).toBe(false);
      }),
      runs(100),
    );
  });

  it('needs at most two tiles per level', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000_000 }), fc.nat(), (of, choice) => {
        const levels = Math.ceil(Math.log(of + 1) / Math.log(TILE_WIDTH)) + 1;
        const tiles = tilesFor(inclusionRanges(choice % of, of));
        expect(tiles.length).toBeLessThanOrEqual(2 * levels);
        for (const tile of tiles) expect(widthOf(tile, of)).toBeGreaterThan(0);
      }),
      runs(300),
    );
  });

  it('does not exist for a leaf outside the tree', () => {
    for (const [index, of] of [
      [0, 0],
      [3, 3],
      [-1, 3],
    ] as const)
      expect(() => inclusionRanges(index, of)).toThrow(RangeError);
  });
});

describe('a consistency proof', () => {
  const headOf = (of: number) => ({ size: of, root: of === 0 ? rootOf(sha256, []) : hashesOf(sha256, wholeTree(of), LARGE.tile)[0]! });

  it('shows that a tree begins with an earlier one, and with no other', () => {
    fc.assert(
      fc.property(size, size, (one, two) => {
        const [earlier, later] = [Math.min(one, two), Math.max(one, two)];
        const proof = hashesOf(sha256, consistencyRanges(earlier, later), LARGE.tile);
        const [from, to] = [headOf(earlier), headOf(later)];
        expect(isConsistent(sha256, from, to, proof)).toBe(true);
        const forged = { size: earlier, root: sha256(from.root) };
        expect(isConsistent(sha256, forged, to, proof)).toBe(false);
        expect(isConsistent(sha256, from, { size: later, root: sha256(to.root) }, proof)).toBe(false);
        expect(isConsistent(sha256, from, to, [...proof, to.root])).toBe(false);
        if (earlier < later) expect(isConsistent(sha256, to, from, proof)).toBe(false);
      }),
      runs(100),
    );
  });

  it('is empty from the empty tree, which has a known root', () => {
    expect(isConsistent(sha256, headOf(0), headOf(7), [])).toBe(true);
    expect(isConsistent(sha256, { size: 0, root: headOf(1).root }, headOf(7), [])).toBe(false);
    expect(() => consistencyRanges(0, 7)).toThrow(RangeError);
    expect(() => consistencyRanges(8, 7)).toThrow(RangeError);
  });
});
