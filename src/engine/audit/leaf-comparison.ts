import type { Cryptography, FeedCursor, SignedCheckpoint, TransparencyLog } from '../../ports/index.js';
import { fromBase64 } from '../../../packages/proofs/base64.js';
import { readCheckpoint } from '../../../packages/proofs/checkpoint.js';
import { leafHashOf } from '../../../packages/proofs/leaf.js';
import { openNote, readVerifierKey } from '../../../packages/proofs/note.js';
import { equal } from '../../../packages/proofs/tree.js';
import { rootByInclusion } from '../../../packages/proofs/verify.js';
import { TileCache } from './tile-cache.js';
import type { InclusionView, TransparencyQueries } from './transparency-queries.js';
import type { LoggedView } from '../queries/views.js';

/** Runs that are read at once. */
const PAGE = 500;

export type Head = SignedCheckpoint & { readonly cursor: FeedCursor };

/** Compares sessions with their leaves in the tree of one checkpoint. What is the same for all of them is read and verified once. */
export class LeafComparison {
  readonly #tiles: TileCache;
  readonly #root: Uint8Array | null;
  #anchor: ReturnType<TransparencyLog['lastAnchor']> | null = null;

  /** `problem`: what is wrong with the transparency log as a whole; null: nothing. */
  constructor(
    private readonly log: TransparencyLog,
    private readonly transparency: TransparencyQueries,
    private readonly cryptography: Cryptography,
    private readonly head: Head,
    private readonly problem: string | null,
  ) {
    this.#tiles = new TileCache(log, head.size);
    this.#root = this.#signedRoot();
  }

  get checkpoint(): { readonly size: number; readonly createdAt: string } {
    return { size: this.head.size, createdAt: this.head.createdAt };
  }

  /** `hashes`: of all events, as they were verified. What cannot be read is a finding. `failed` gets why. */
  async of(
    tenantId: string,
    sessionId: string,
    hashes: Uint8Array,
    failed: (error: unknown) => void,
  ): Promise<{ readonly logged: LoggedView; readonly proof: InclusionView | null }> {
    try {
      return await this.#compared(tenantId, sessionId, hashes);
    } catch (error) {
      failed(error);
      const problem = this.problem ?? 'the transparency log cannot be read';
      return { logged: { events: 0, matches: false, problem, checkpoint: this.checkpoint, anchored: null }, proof: null };
    }
  }

  async #compared(tenantId: string, sessionId: string, hashes: Uint8Array): Promise<{ readonly logged: LoggedView; readonly proof: InclusionView | null }> {
    const { head, problem } = this;
    const anchor = await (this.#anchor ??= this.log.lastAnchor());
    let [next, anchored] = [1, 0];
    let firstMismatch: number | undefined;
    let last: { readonly leafIndex: number; readonly hash: Uint8Array; readonly leaf: Uint8Array } | null = null;
    for await (const { leafIndex, seq, leaf, hash } of this.#leavesOf(tenantId, sessionId, hashes)) {
      const isEvent = seq === next && hash.length > 0 && equal(leaf, leafHashOf(this.cryptography.sha256, { sessionId, seq, hash }));
      if (!isEvent) firstMismatch ??= Math.min(seq, next);
      else if (firstMismatch === undefined) last = { leafIndex, hash, leaf };
      if (anchor && leafIndex < anchor.size && firstMismatch === undefined) anchored = seq;
      next = seq + 1;
    }
    // Later events are not in the tree yet. One that the tree has passed was taken out of it, or hidden from it.
    firstMismatch ??= (await this.log.leftOut(tenantId, sessionId, next - 1, head.cursor)) ?? undefined;
    const events = firstMismatch === undefined ? next - 1 : Math.min(next, firstMismatch) - 1;
    const proof = last && (await this.transparency.inclusion(last.leafIndex, { sessionId, seq: events, hash: hex(last.hash) }, head, this.#tiles));
    const matches = firstMismatch === undefined && (proof === null || this.#holds(proof, last!.leaf)) && problem === null;
    const logged = {
      events,
      matches,
      ...(firstMismatch === undefined ? {} : { firstMismatch }),
      ...(problem === null ? {} : { problem }),
      checkpoint: this.checkpoint,
      anchored: anchor && { size: anchor.size, at: anchor.at, events: anchored },
    };
    return { logged, proof };
  }

  /** Whether the proof leads from the leaf to the root of the signed checkpoint: an answer that could not be verified is not given as valid. */
  #holds({ leafIndex, hashes }: InclusionView, leaf: Uint8Array): boolean {
    const path = hashes.map((text) => fromBase64(text)!);
    const root = rootByInclusion(this.cryptography.sha256, leafIndex, this.head.size, leaf, path);
    return this.#root !== null && root !== null && equal(this.#root, root);
  }

  #signedRoot(): Uint8Array | null {
    const { sha256, verify } = this.cryptography;
    const publicKey = readVerifierKey(sha256, this.head.verifier);
    const text = publicKey && openNote(sha256, this.head.note, publicKey, verify);
    const signed = text === null ? null : readCheckpoint(text);
    return signed?.size === this.head.size ? signed.root : null;
  }

  /** Every leaf of the session in the tree, in order of seq, with the event's hash now; empty where there is no such event. */
  async *#leavesOf(tenantId: string, sessionId: string, events: Uint8Array): AsyncGenerator<LoggedEvent> {
    for (let after = 0; ;) {
      const runs = await this.log.runsOf(tenantId, sessionId, after, PAGE);
      const last = runs.at(-1);
      if (!last) return;
      for (const { firstIndex, firstSeq, hashes } of runs.filter((run) => run.firstIndex < this.head.size)) {
        for (const [offset, leaf] of hashes.entries()) {
          yield { leafIndex: firstIndex + offset, seq: firstSeq + offset, leaf, hash: hashAt(events, firstSeq + offset) };
        }
      }
      if (runs.length < PAGE) return;
      after = last.firstSeq;
    }
  }
}

interface LoggedEvent {
  readonly leafIndex: number;
  readonly seq: number;
  readonly leaf: Uint8Array;
  readonly hash: Uint8Array;
}

/** Of the hashes of all events that of one; empty when there is no such event. */
export const hashAt = (hashes: Uint8Array, seq: number): Uint8Array => hashes.subarray(HASH_BYTES * (seq - 1), HASH_BYTES * seq);

const HASH_BYTES = 32;

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
