/**
 * Tiles of the tree, as in C2SP tlog-tiles: a tile has up to 256 hashes. Those of level 0 are leaf hashes; each hash of a higher level is the root of a full tile of
 * the level below.
 */

export const TILE_WIDTH = 256;

/** The height of a tile in levels of the tree. */
export const TILE_HEIGHT = 8;

/** Higher than any level of a tree with fewer than 2^53 leaves. */
const MAX_LEVEL = 6;

export interface Tile {
  readonly level: number;
  readonly index: number;
}

export interface TileOfTree extends Tile {
  /** Number of hashes: 256 for a full tile. */
  readonly width: number;
}

/** The number of hashes on a level of tiles in a tree of `size` leaves. */
export function hashesOnLevel(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The number of hashes that a tile has in a tree of `size` leaves; 0: it does not exist. */
export function widthOf({ level, index }: Tile, size: number): number {
  return Math.max(0, Math.min(TILE_WIDTH, hashesOnLevel(level, size) - index * TILE_WIDTH));
}

/** `tile/0/x001/234` or `tile/0/x001/234.p/5`, with groups of three digits. */
export function pathOf({ level, index, width }: TileOfTree): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  return `tile/${level}/${groups.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

const PATH = /^tile\/(\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The tile that a path names; null for any text that pathOf does not produce. */
export function tileAt(path: string): TileOfTree | null {
  const [, level = '', groups = '', partial] = PATH.exec(path) ?? [];
  if (groups.length > 24 || Number(level) > MAX_LEVEL) return null;
  const tile = { level: Number(level), index: Number(groups.replaceAll(/[x/]/g, '')), width: partial === undefined ? TILE_WIDTH : Number(partial) };
  return pathOf(tile) === path && tile.width <= TILE_WIDTH ? tile : null;
}
