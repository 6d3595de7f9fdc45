import { Injectable } from '@nestjs/common';
import { DomainError } from '../core/errors.js';
import { Cryptography, type FeedCursor, type SignedCheckpoint, TransparencyLog } from '../core/ports.js';
import { fromBase64 } from '../core/proofs/base64.js';
import { leafHashOf } from '../core/proofs/leaf.js';
import { openNote, readVerifierKey } from '../core/proofs/note.js';
import { readCheckpoint } from '../core/proofs/checkpoint.js';
import { equal } from '../core/proofs/tree.js';
import { rootByInclusion } from '../core/proofs/verify.js';
import { type Acting, systemPrincipal } from '../core/access/principal.js';
import { LogAudit } from './log-audit.js';
import { SessionQueries } from './session-queries.js';
import { type InclusionView, TransparencyQueries } from './transparency-queries.js';
import type { AuditView, LoggedView, TenantAuditView } from './views.js';

/** Runs that an audit reads at once, with the hashes of their events. */
const PAGE = 500;

/** Sessions of which it is known what their last audit has seen. */
const SEEN = 10_000;

/** Recomputes a session's chain, and compares every event with its leaf in the transparency log. */
@Injectable()
export class AuditQueries {
  /** The last event of each session at its last valid audit by this process. */
  readonly #seen = new Map<string, { readonly events: number; readonly hash: string }>();

  constructor(
    private readonly sessions: SessionQueries,
    private readonly log: TransparencyLog,
    private readonly transparency: TransparencyQueries,
    private readonly logAudit: LogAudit,
    private readonly cryptography: Cryptography,
  ) {}

  async session(principal: Acting, sessionId: string, withProof: boolean): Promise<AuditView> {
    const head = await this.log.head(); // before the events: each leaf of this tree is then an event that is read
    const audit = await this.#comparedWithEarlier(principal.tenantId, sessionId, await this.sessions.audit(principal, sessionId));
    if (!head) return { ...audit, transparencyLog: { events: 0, matches: true, checkpoint: null, anchored: null }, ...(withProof ? { proof: null } : {}) };
    const { logged, proof } = await this.#compare(principal.tenantId, sessionId, head);
    return { ...audit, valid: audit.valid && logged.matches, transparencyLog: logged, ...(withProof ? { proof } : {}) };
  }

  /** A log that was set back, or written again, before the transparency log had its events is found by the process that has seen it. */
  async #comparedWithEarlier(tenantId: string, sessionId: string, audit: AuditView): Promise<AuditView> {
    const earlier = this.#seen.get(sessionId);
    if (earlier) {
      const [hash] = earlier.events > audit.events ? [] : await this.log.eventHashes(tenantId, sessionId, earlier.events - 1, 1);
      if (!hash || hex(hash) !== earlier.hash) return { ...audit, valid: false, setBack: true };
    }
    if (!audit.valid || audit.headHash === null || audit.events === 0) return audit;
    this.#seen.delete(sessionId);
    this.#seen.set(sessionId, { events: audit.events, hash: audit.headHash });
    if (this.#seen.size > SEEN) this.#seen.delete(this.#seen.keys().next().value!);
    return audit;
  }

  /** A page of the tenant's sessions, by id: every session that the transparency log knows, whether or not the tables still do, and every one in the session list. */
  async tenant(principal: Acting, after: string | null, limit: number): Promise<TenantAuditView> {
    const ids = await this.log.sessionsOf(principal.tenantId, after, limit);
    const data: TenantAuditView['data'][number][] = [];
    for (const id of ids) data.push(await this.outcome(systemPrincipal(principal.tenantId, principal.userId), id));
    const head = await this.log.head();
    return {
      data,
      valid: data.every(({ valid }) => valid),
      checkpoint: head && { size: head.size, createdAt: head.createdAt },
      nextCursor: ids.length === limit ? ids.at(-1)! : null,
    };
  }

  /** An audit in short, also of a session that is in the transparency log only. */
  async outcome(principal: Acting, sessionId: string): Promise<TenantAuditView['data'][number]> {
    try {
      const { events, valid, firstInvalidSeq, rowMatches, transparencyLog } = await this.session(principal, sessionId, false);
      const first = firstInvalidSeq ?? transparencyLog?.firstMismatch;
      return { sessionId, valid, events, rowMatches, ...(first === undefined ? {} : { firstInvalidSeq: first }) };
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'session_not_found') throw error;
      const head = await this.log.head();
      const [first] = await this.log.eventHashes(principal.tenantId, sessionId, 0, 1);
      if (!first) return { sessionId, valid: false, events: 0, rowMatches: false, firstInvalidSeq: 1 }; // it was found, so it existed
      if (!head) return { sessionId, valid: true, events: 0, rowMatches: true }; // before the first checkpoint
      // It is not visible because it is being imported: its events are compared all the same.
      const { events, matches, firstMismatch } = (await this.#compare(principal.tenantId, sessionId, head)).logged;
      return { sessionId, valid: matches, events, rowMatches: true, ...(firstMismatch === undefined ? {} : { firstInvalidSeq: firstMismatch }) };
    }
  }

  /** The proof of the session's newest event that is in the tree of the checkpoint, up to version `upTo`; null when there is none. */
  async proof(tenantId: string, sessionId: string, head: SignedCheckpoint, upTo: number): Promise<InclusionView | null> {
    const run = await this.log.lastRunOf(tenantId, sessionId, upTo, head.size);
    if (!run) return null;
    const seq = Math.min(upTo, run.firstSeq + run.hashes.length - 1);
    const [hash] = await this.log.eventHashes(tenantId, sessionId, seq - 1, 1);
    return hash ? this.transparency.inclusion(run.firstIndex + seq - run.firstSeq, { sessionId, seq, hash: hex(hash) }, head) : null;
  }

  async #compare(
    tenantId: string,
    sessionId: string,
    head: SignedCheckpoint & { readonly cursor: FeedCursor },
  ): Promise<{ readonly logged: LoggedView; readonly proof: InclusionView | null }> {
    const anchor = await this.log.lastAnchor();
    let [next, anchored] = [1, 0];
    let firstMismatch: number | undefined;
    let last: { readonly leafIndex: number; readonly hash: Uint8Array; readonly leaf: Uint8Array } | null = null;
    for await (const { leafIndex, seq, leaf, hash } of this.#leavesOf(tenantId, sessionId, head.size)) {
      const isEvent = seq === next && hash !== undefined && equal(leaf, leafHashOf(this.cryptography.sha256, { sessionId, seq, hash }));
      if (!isEvent) firstMismatch ??= Math.min(seq, next);
      else if (firstMismatch === undefined) last = { leafIndex, hash, leaf };
      if (anchor && leafIndex < anchor.size && firstMismatch === undefined) anchored = seq;
      next = seq + 1;
    }
    // Later events are not in the tree yet. One that the tree has passed was taken out of it, or hidden from it.
    firstMismatch ??= (await this.log.leftOut(tenantId, sessionId, next - 1, head.cursor)) ?? undefined;
    const events = firstMismatch === undefined ? next - 1 : Math.min(next, firstMismatch) - 1;
    const proof = last && (await this.transparency.inclusion(last.leafIndex, { sessionId, seq: events, hash: hex(last.hash) }, head));
    const isProven = proof === null || this.#holds(proof, last!.leaf, head);
    const { problem } = await this.logAudit.heads();
    const matches = firstMismatch === undefined && isProven && problem === null;
    const logged = {
      events,
      matches,
      ...(firstMismatch === undefined ? {} : { firstMismatch }),
      ...(problem === null ? {} : { problem }),
      checkpoint: { size: head.size, createdAt: head.createdAt },
      anchored: anchor && { size: anchor.size, at: anchor.at, events: anchored },
    };
    return { logged, proof };
  }

  /** Whether the proof leads from the leaf to the root of the signed checkpoint: an answer that could not be verified is not given as valid. */
  #holds({ leafIndex, hashes, checkpoint, key }: InclusionView, leaf: Uint8Array, head: SignedCheckpoint): boolean {
    const { sha256, verify } = this.cryptography;
    const publicKey = readVerifierKey(sha256, key);
    const text = publicKey && openNote(sha256, checkpoint, publicKey, verify);
    const signed = text === null ? null : readCheckpoint(text);
    const root = rootByInclusion(
      sha256,
      leafIndex,
      head.size,
      leaf,
      hashes.map((hash) => fromBase64(hash)!),
    );
    return signed !== null && root !== null && signed.size === head.size && equal(signed.root, root);
  }

  /** Every leaf of the session in the first `size` ones, in order of seq, with the event's hash now; undefined where there is no such event. */
  async *#leavesOf(tenantId: string, sessionId: string, size: number): AsyncGenerator<LoggedEvent> {
    for (let after = 0; ;) {
      const runs = await this.log.runsOf(tenantId, sessionId, after, PAGE);
      const [first, last] = [runs[0], runs.at(-1)];
      if (!first || !last) return;
      const base = first.firstSeq - 1;
      const events = await this.log.eventHashes(tenantId, sessionId, base, last.firstSeq + last.hashes.length - first.firstSeq);
      for (const { firstIndex, firstSeq, hashes } of runs.filter((run) => run.firstIndex < size)) {
        for (const [offset, leaf] of hashes.entries()) {
          yield { leafIndex: firstIndex + offset, seq: firstSeq + offset, leaf, hash: events[firstSeq + offset - base - 1] };
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
  readonly hash: Uint8Array | undefined;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
