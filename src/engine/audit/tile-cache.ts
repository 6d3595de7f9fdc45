import type { TransparencyLog } from '../../ports/index.js';
import type { TileHashes } from '../../../packages/proofs/proofs.js';
import type { Tile } from '../../../packages/proofs/tiles.js';

/** Tiles of the tree of one checkpoint, each read once, also by proofs that are made at the same time: they have most of them in common. */
export class TileCache {
  readonly #hashes = new Map<string, Promise<readonly Uint8Array[]>>();

  constructor(
    private readonly log: TransparencyLog,
    private readonly size: number,
  ) {}

  async tiles(tiles: readonly Tile[]): Promise<TileHashes> {
    const missing = tiles.filter((tile) => !this.#hashes.has(nameOf(tile)));
    if (missing.length > 0) this.#read(missing);
    const found = new Map(await Promise.all(tiles.map(async (tile) => [nameOf(tile), await this.#hashes.get(nameOf(tile))!] as const)));
    return (tile) => found.get(nameOf(tile)) ?? [];
  }

  #read(tiles: readonly Tile[]): void {
    const reading = this.log.tiles(tiles, this.size);
    for (const tile of tiles) {
      const hashes = reading.then((found) => found(tile));
      hashes.catch(() => this.#hashes.delete(nameOf(tile))); // whoever needs it next reads it again
      this.#hashes.set(nameOf(tile), hashes);
    }
  }
}

const nameOf = ({ level, index }: Tile): string => `${level}/${index}`;
