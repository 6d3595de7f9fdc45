import { expect, it } from '@jest/globals';
import type { Tile } from '../../../packages/proofs/tiles.js';
import type { TransparencyLog } from '../../ports/index.js';
import { TileCache } from './tile-cache.js';

const TILES: readonly Tile[] = [0, 1, 2].map((index) => ({ level: 0, index }));
const hashOf = ({ index }: Tile): Uint8Array => Uint8Array.of(index);

/** A log that has read what `reads` lists, and fails as often as `failures` says. */
function logThat(reads: Tile[][], failures = 0): TransparencyLog {
  const tiles = async (wanted: readonly Tile[]) => {
    reads.push([...wanted]);
    if (reads.length <= failures) throw new Error('the log is away');
    return (tile: Tile) => [hashOf(tile)];
  };
  return { tiles } as unknown as TransparencyLog;
}

it('reads a tile once, also for proofs that are made at the same time', async () => {
  const reads: Tile[][] = [];
  const cache = new TileCache(logThat(reads), 700);
  const [first, second] = [TILES.slice(0, 2), TILES.slice(1)];
  for (const [index, found] of (await Promise.all([cache.tiles(first), cache.tiles(second), cache.tiles(TILES)])).entries())
    for (const tile of [first, second, TILES][index]!) expect(found(tile)).toEqual([hashOf(tile)]);
  await cache.tiles(TILES);
  expect(reads).toEqual([first, [TILES[2]]]);
});

it('reads a tile again that could not be read', async () => {
  const reads: Tile[][] = [];
  const cache = new TileCache(logThat(reads, 1), 700);
  await expect(Promise.all([cache.tiles(TILES), cache.tiles(TILES)])).rejects.toThrow('the log is away');
  expect((await cache.tiles(TILES))(TILES[0]!)).toEqual([hashOf(TILES[0]!)]);
  expect(reads).toEqual([TILES, TILES]);
});
