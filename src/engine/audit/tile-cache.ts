import type { TransparencyLog } from '../../ports/index.js';
import type { TileHashes } from '../../../packages/proofs/proofs.js';
import type { Tile } from '../../../packages/proofs/tiles.js';

/** Tiles of the tree of one checkpoint, each read once: proofs of one tree have most of them in common. */
export class TileCache {
  readonly #hashes = new Map<string, readonly Uint8Array[]>();

  constructor(
    private readonly log: TransparencyLog,
    private readonly size: number,
  ) {}

  async tiles(tiles: readonly Tile[]): Promise<TileHashes> {
    const missing = tiles.filter((tile) => !this.#hashes.has(nameOf(tile)));
    if (missing.length > 0) {
      const hashes = await this.log.tiles(missing, this.size);
      for (const tile of missing) this.#hashes.set(nameOf(tile), hashes(tile));
    }
    return (tile) => this.#hashes.get(nameOf(tile)) ?? [];
  }
}

const nameOf = ({ level, index }: Tile): string => `${level}/${index}`;
