import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { AnchorFile, Cryptography, type SignedCheckpoint, TransparencyLog } from '../../ports/index.js';
import { type Checkpoint, readCheckpoint } from '../../../packages/proofs/checkpoint.js';
import { GrowingTree } from '../../../packages/proofs/growing-tree.js';
import { openNote, readSignerKey, readVerifierKey, verifierKey } from '../../../packages/proofs/note.js';
import { edgeTiles, MissingHashes } from '../../../packages/proofs/proofs.js';
import { TILE_WIDTH } from '../../../packages/proofs/tiles.js';
import { equal } from '../../../packages/proofs/tree.js';
import type { TreeHead } from '../../../packages/proofs/verify.js';
import { TransparencyQueries } from './transparency-queries.js';

/** Runs that are read at once: a tile has at most 256. */
const PAGE = 1_000;

export interface LogAuditView {
  /** What is wrong; null: nothing. */
  readonly problem: string | null;
  /** Leaves of the newest checkpoint. */
  readonly size: number;
  /** The newest checkpoint in the anchor file; null without one. */
  readonly anchored: Checkpoint | null;
}

/** Compares the stored transparency log with itself and with what is known outside the database: the anchor file, and what this process has seen. */
@Injectable()
export class LogAudit {
  #seen: TreeHead = { size: 0, root: new Uint8Array() };

  constructor(
    private readonly log: TransparencyLog,
    private readonly transparency: TransparencyQueries,
    private readonly cryptography: Cryptography,
    private readonly anchorFile: AnchorFile,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'TLOG_KEY'>,
  ) {}

  /** Whether the newest checkpoint is what it should be. Reads some tiles, however large the log is. */
  async heads(): Promise<LogAuditView> {
    const head = await this.log.head();
    const note = await this.anchorFile.newest();
    const anchored = head && note !== null ? this.#open(note, head.verifier) : null;
    const size = head?.size ?? 0;
    if (!head) return { problem: this.#seen.size > 0 || note !== null ? 'the transparency log is gone' : null, size, anchored };
    // The verifier is read from the database, as the signature is: a log that was built again with another key would verify with it.
    if (!this.#isOfKey(head.verifier)) return { problem: 'the newest checkpoint was signed with another key than TLOG_KEY', size, anchored };
    if (note !== null && !anchored)
      return { problem: 'the newest checkpoint in the anchor file was not signed with the key of this transparency log', size, anchored };
    if (!this.#isSigned(head)) return { problem: `the checkpoint of ${size} leaves has no valid signature`, size, anchored };
    for (const [known, source] of [[anchored, 'was anchored'] as const, [this.#seen, 'this process has seen'] as const]) {
      if (known && known.size > 0 && !(await this.#continues(known, head))) {
        return { problem: `the transparency log of ${size} leaves does not continue the checkpoint of ${known.size} leaves that ${source}`, size, anchored };
      }
    }
    this.#seen = { size, root: head.root };
    return { problem: null, size, anchored };
  }

  /** The same, with every leaf from `from` on: that none is missing, and that tiles and root are made of them. */
  async leaves(from: number): Promise<LogAuditView> {
    const view = await this.heads();
    const head = await this.log.head();
    if (view.problem !== null || !head) return view;
    const start = Math.floor(Math.min(from, head.size) / TILE_WIDTH) * TILE_WIDTH;
    const edge = edgeTiles(start);
    const hashes = await this.log.tiles(edge, start);
    const levels: (readonly Uint8Array[])[] = [];
    for (const tile of edge) levels[tile.level] = hashes(tile);
    const tree = new GrowingTree(
      this.cryptography.sha256,
      start,
      Array.from(levels, (level) => level ?? []),
    );
    while (tree.size < head.size) {
      const before = tree.size;
      const runs = await this.log.runs(tree.size, PAGE);
      for (const run of runs) {
        if (run.firstIndex !== tree.size) return { ...view, problem: `the transparency log has no record of leaf ${tree.size}` };
        for (const full of run.hashes.slice(0, head.size - tree.size).flatMap((hash) => tree.add(hash))) {
          const stored = (await this.log.tiles([full], head.size))(full);
          const matches = stored.length === full.hashes.length && stored.every((hash, index) => equal(hash, full.hashes[index]!));
          if (!matches) return { ...view, problem: `tile ${full.index} of level ${full.level} of the transparency log is not made of its leaves` };
        }
        if (tree.size === head.size) break;
      }
      if (tree.size === before) return { ...view, problem: `the transparency log has no record of leaf ${tree.size}` };
    }
    return equal(tree.root(), head.root) ? view : { ...view, problem: `the root of ${head.size} leaves is not that of the checkpoint` };
  }

  /** Of the setting, if there is one: processes that only read the log need none. */
  #isOfKey(verifier: string): boolean {
    const seed = this.settings.TLOG_KEY === undefined ? null : readSignerKey(this.settings.TLOG_KEY);
    return seed === null || verifierKey(this.cryptography.sha256, { name: seed.name, key: this.cryptography.publicKey(seed.key) }) === verifier;
  }

  #open(note: string, verifier: string): Checkpoint | null {
    const { sha256, verify } = this.cryptography;
    const key = readVerifierKey(sha256, verifier);
    const text = key && openNote(sha256, note, key, verify);
    return text === null ? null : readCheckpoint(text);
  }

  #isSigned({ note, verifier, size, root }: SignedCheckpoint): boolean {
    const signed = this.#open(note, verifier);
    return signed !== null && signed.size === size && equal(signed.root, root);
  }

  async #continues(known: TreeHead, head: TreeHead): Promise<boolean> {
    if (known.size > head.size) return false;
    try {
      const now = await this.transparency.rootAt(known.size);
      return equal(now, known.root) && (await this.transparency.extends(known, head));
    } catch (error) {
      if (error instanceof MissingHashes) return false; // a tile is gone
      throw error;
    }
  }
}
