import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type AnchorReceipt, Cryptography, type SignedCheckpoint, TransparencyLog } from '../../ports/index.js';
import { toBase64 } from '../../../packages/proofs/base64.js';
import { consistencyRanges, hashesOf, inclusionRanges, type Range, tilesFor, wholeTree } from '../../../packages/proofs/proofs.js';
import { type TileOfTree, widthOf } from '../../../packages/proofs/tiles.js';
import { rootOf } from '../../../packages/proofs/tree.js';
import { isConsistent } from '../../../packages/proofs/verify.js';
import type { TreeHead } from '../../../packages/proofs/verify.js';
import { TileCache } from './tile-cache.js';

export interface ConsistencyView {
  readonly from: number;
  readonly to: number;
  /** Base64. */
  readonly hashes: readonly string[];
}

export interface InclusionView {
  readonly sessionId: string;
  readonly seq: number;
  /** The event's hash in the chain, hexadecimal. */
  readonly hash: string;
  readonly leafIndex: number;
  /** Base64, lowest first. */
  readonly hashes: readonly string[];
  readonly checkpoint: string;
  readonly key: string;
}

export interface AnchorView {
  readonly size: number;
  readonly at: string;
  readonly kind: 'timestamp' | 'witness';
  /** With the cosignature of a witness below those of the log. */
  readonly checkpoint: string;
  /** RFC 3161, DER in base64: over the SHA-256 of the checkpoint. */
  readonly token?: string;
}

function anchorView({ size, at, note, target, receipt }: AnchorReceipt): AnchorView {
  if (target === 'timestamp') return { size, at, kind: 'timestamp', checkpoint: note, token: receipt };
  return { size, at, kind: 'witness', checkpoint: note + receipt };
}

/** What anybody may read of the transparency log, and proofs from its tiles. */
@Injectable()
export class TransparencyQueries {
  constructor(
    private readonly log: TransparencyLog,
    private readonly cryptography: Cryptography,
  ) {}

  /** The newest checkpoint; rejected with `not_found` before the first one. */
  async checkpoint(): Promise<SignedCheckpoint> {
    const head = await this.log.head();
    if (!head) throw new DomainError('not_found', 'The transparency log has no checkpoint yet; the first one is signed when a worker has started.');
    return head;
  }

  /** The hashes of a tile, one after the other; rejected with `not_found` when the tree has no such tile yet. */
  async tile(tile: TileOfTree | null): Promise<Uint8Array> {
    const { size } = await this.checkpoint();
    if (!tile || widthOf(tile, size) < tile.width) throw new DomainError('not_found', 'The transparency log has no tile with this path.');
    const hashes = (await this.log.tiles([tile], size))(tile).slice(0, tile.width);
    return Buffer.concat(hashes);
  }

  /** What time stamp authorities and witnesses gave for the newest checkpoints. Addresses of other receivers are not shown. */
  async anchors(limit: number): Promise<{ readonly data: readonly AnchorView[] }> {
    return { data: (await this.log.anchorReceipts(limit)).map(anchorView) };
  }

  async consistency(from: number, to: number | undefined): Promise<ConsistencyView> {
    const { size } = await this.checkpoint();
    const later = to ?? size;
    if (later > size || from > later) {
      throw new DomainError('invalid_input', `The transparency log has ${size} leaves: \`from\` must be at most \`to\`, and \`to\` at most ${size}.`, [
        { pointer: later > size ? '/to' : '/from', text: 'is more than that' },
      ]);
    }
    return { from, to: later, hashes: (await this.#hashes(consistencyRanges(from, later), size)).map(toBase64) };
  }

  /** The proof that the event at `leafIndex` is in the tree of the checkpoint. `tiles`: of this tree. */
  async inclusion(
    leafIndex: number,
    leaf: Pick<InclusionView, 'sessionId' | 'seq' | 'hash'>,
    { size, note, verifier }: SignedCheckpoint,
    tiles = new TileCache(this.log, size),
  ): Promise<InclusionView> {
    const ranges = inclusionRanges(leafIndex, size);
    const hashes = hashesOf(this.cryptography.sha256, ranges, await tiles.tiles(tilesFor(ranges)));
    return { ...leaf, leafIndex, hashes: hashes.map(toBase64), checkpoint: note, key: verifier };
  }

  /** The root of the tree of the first `size` leaves, from its tiles. */
  async rootAt(size: number): Promise<Uint8Array> {
    const [root] = await this.#hashes(wholeTree(size), size);
    return root ?? rootOf(this.cryptography.sha256, []);
  }

  /** Whether the tree of `later` begins with that of `earlier`, by a proof from the tiles. */
  async extends(earlier: TreeHead, later: TreeHead): Promise<boolean> {
    if (earlier.size > later.size) return false;
    const proof = earlier.size === 0 ? [] : await this.#hashes(consistencyRanges(earlier.size, later.size), later.size);
    return isConsistent(this.cryptography.sha256, earlier, later, proof);
  }

  async #hashes(ranges: readonly Range[], size: number): Promise<readonly Uint8Array[]> {
    return hashesOf(this.cryptography.sha256, ranges, await this.log.tiles(tilesFor(ranges), size));
  }
}
