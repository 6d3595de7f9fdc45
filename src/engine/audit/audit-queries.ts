import { Injectable, Logger } from '@nestjs/common';
import { mapLimited } from '../../platform/async/map-limited.js';
import { type AuthorizedCaller, systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { concat } from '../../../packages/proofs/tree.js';
import { Cryptography, type SignedCheckpoint, Telemetry, TransparencyLog } from '../../ports/index.js';
import { hashAt, hex, LeafComparison } from './leaf-comparison.js';
import { LogAudit } from './log-audit.js';
import { requireFinding } from './session-audit.js';
import { SessionQueries } from '../queries/session-queries.js';
import { type InclusionView, TransparencyQueries } from './transparency-queries.js';
import type { AuditView, TenantAuditView } from '../queries/views.js';

/** Sessions of which it is known what their last audit has seen. */
const SEEN = 10_000;

/** Sessions that are audited at a time: while one waits for the database, another is verified. */
const AT_ONCE = 4;

type Outcome = TenantAuditView['data'][number];

/** Reads and verifies a log. */
type Auditor = Pick<SessionQueries, 'audit'>;

/** What an audit of one session has besides what every one has. `requests`: how many of the newest ones are rebuilt. */
export interface AuditParts {
  readonly withProof: boolean;
  readonly requests: number;
}

const NEVER = new AbortController().signal;

/** Recomputes a session's chain, and compares every event with its leaf in the transparency log. */
@Injectable()
export class AuditQueries {
  readonly #log = new Logger(AuditQueries.name);
  /** The last event of each session at its last valid audit by this process. */
  readonly #seen = new Map<string, { readonly events: number; readonly hash: string }>();

  constructor(
    private readonly sessions: SessionQueries,
    private readonly log: TransparencyLog,
    private readonly transparency: TransparencyQueries,
    private readonly logAudit: LogAudit,
    private readonly cryptography: Cryptography,
    private readonly telemetry: Telemetry,
  ) {}

  /** `by`: who reads and verifies the log. */
  async session(principal: AuthorizedCaller, sessionId: string, asked: AuditParts, by: Auditor = this.sessions): Promise<AuditView> {
    const audit = await this.#session(principal, sessionId, asked, await this.comparison(), by);
    this.#report(sessionId, audit);
    return audit;
  }

  /** With the tree of the newest checkpoint; null before the first one. For several sessions of one audit. */
  async comparison(): Promise<LeafComparison | null> {
    const head = await this.log.head();
    if (!head) return null;
    const { problem } = await this.logAudit.heads().catch((error: unknown) => {
      this.#failed('the transparency log', error);
      return { problem: 'the transparency log cannot be read' };
    });
    return new LeafComparison(this.log, this.transparency, this.cryptography, head, problem);
  }

  /**
   * A page of the tenant's sessions, by id: every session that the transparency log knows, whether or not the tables still do, and every one in the session list. `gone`: nobody waits for it any more.
   */
  async tenant(principal: AuthorizedCaller, after: string | null, limit: number, gone: AbortSignal = NEVER): Promise<TenantAuditView> {
    const ids = await this.log.sessionsOf(principal.tenantId, after, limit);
    const comparison = await this.comparison();
    const system = systemPrincipal(principal.tenantId, principal.userId);
    const data = await mapLimited(ids, AT_ONCE, (id) => {
      if (gone.aborted) throw new DomainError('unavailable', 'The client has left.');
      return this.outcome(system, id, comparison);
    });
    return {
      data,
      valid: data.every(({ valid }) => valid),
      checkpoint: comparison?.checkpoint ?? null,
      nextCursor: ids.length === limit ? ids.at(-1)! : null,
    };
  }

  /** An audit in short, also of a session that is in the transparency log only. Rejected only when the database, or the server, is not available. `by`: who reads and verifies the log. */
  async outcome(principal: AuthorizedCaller, sessionId: string, comparison: LeafComparison | null, by: Auditor = this.sessions): Promise<Outcome> {
    const outcome = await this.#outcome(principal, sessionId, comparison, by);
    this.#report(sessionId, outcome);
    return outcome;
  }

  /** The proof of the session's newest event that is in the tree of the checkpoint, up to version `upTo`; null when there is none. */
  async proof(tenantId: string, sessionId: string, head: SignedCheckpoint, upTo: number): Promise<InclusionView | null> {
    const run = await this.log.lastRunOf(tenantId, sessionId, upTo, head.size);
    if (!run) return null;
    const seq = Math.min(upTo, run.firstSeq + run.hashes.length - 1);
    const [hash] = await this.log.eventHashes(tenantId, sessionId, seq - 1, 1);
    return hash ? this.transparency.inclusion(run.firstIndex + seq - run.firstSeq, { sessionId, seq, hash: hex(hash) }, head) : null;
  }

  /** `comparison` was made before the events are read: each leaf of its tree is then an event that is read. */
  async #session(
    principal: AuthorizedCaller,
    sessionId: string,
    { withProof, requests }: AuditParts,
    comparison: LeafComparison | null,
    by: Auditor,
  ): Promise<AuditView> {
    const { tenantId } = principal;
    const { hashes, ...found } = await by.audit(principal, sessionId, requests);
    const audit = this.#comparedWithEarlier(sessionId, found, hashes);
    if (!comparison)
      return { ...audit, transparencyLog: { events: 0, matches: true, checkpoint: null, anchored: null }, ...(withProof ? { proof: null } : {}) };
    const { logged, proof } = await comparison.of(tenantId, sessionId, hashes, (error) => this.#failed(`session ${sessionId}`, error));
    const unlogged = logged.matches || audit.finding ? {} : { finding: 'transparency_log' as const };
    return { ...audit, ...unlogged, valid: audit.valid && logged.matches, transparencyLog: logged, ...(withProof ? { proof } : {}) };
  }

  /** A log that was set back, or written again, before the transparency log had its events is found by the process that has seen it. */
  #comparedWithEarlier(sessionId: string, audit: AuditView, hashes: Uint8Array): AuditView {
    const earlier = this.#seen.get(sessionId);
    if (earlier) {
      if (hex(hashAt(hashes, earlier.events)) !== earlier.hash) return { ...audit, valid: false, finding: audit.finding ?? 'set_back', setBack: true };
    }
    if (!audit.valid || audit.headHash === null || audit.events === 0) return audit;
    this.#seen.delete(sessionId);
    this.#seen.set(sessionId, { events: audit.events, hash: audit.headHash });
    if (this.#seen.size > SEEN) this.#seen.delete(this.#seen.keys().next().value!);
    return audit;
  }

  async #outcome(principal: AuthorizedCaller, sessionId: string, comparison: LeafComparison | null, by: Auditor): Promise<Outcome> {
    try {
      const { events, valid, firstInvalidSeq, rowMatches, finding, transparencyLog } = await this.#session(
        principal,
        sessionId,
        { withProof: false, requests: 0 },
        comparison,
        by,
      );
      const first = firstInvalidSeq ?? transparencyLog?.firstMismatch;
      return { sessionId, valid, events, rowMatches, ...(finding ? { finding } : {}), ...(first === undefined ? {} : { firstInvalidSeq: first }) };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'session_not_found') return this.#unseen(principal.tenantId, sessionId, comparison);
      this.#failed(`session ${sessionId}`, error);
      return { sessionId, valid: false, events: 0, rowMatches: false, finding: 'unreadable' };
    }
  }

  /** Of a session that is not visible: it is being imported, or it is not there. */
  async #unseen(tenantId: string, sessionId: string, comparison: LeafComparison | null): Promise<Outcome> {
    const hashes = concat(await this.log.eventHashes(tenantId, sessionId, 0, Number.MAX_SAFE_INTEGER));
    if (hashes.length === 0) return { sessionId, valid: false, events: 0, rowMatches: false, finding: 'missing', firstInvalidSeq: 1 }; // it was found, so it existed
    if (!comparison) return { sessionId, valid: true, events: 0, rowMatches: true }; // before the first checkpoint
    const { events, matches, firstMismatch } = (await comparison.of(tenantId, sessionId, hashes, (error) => this.#failed(`session ${sessionId}`, error)))
      .logged;
    const found = matches ? {} : { finding: 'transparency_log' as const };
    return { sessionId, valid: matches, events, rowMatches: true, ...found, ...(firstMismatch === undefined ? {} : { firstInvalidSeq: firstMismatch }) };
  }

  /** What throws is a finding; only when the database is not available, nothing is known. */
  #failed(subject: string, error: unknown): void {
    requireFinding(error);
    this.#log.error(`${subject} cannot be audited: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  #report(sessionId: string, { valid, finding, firstInvalidSeq }: Pick<Outcome, 'valid' | 'finding' | 'firstInvalidSeq'>): void {
    this.telemetry.count('audits', { subject: 'session', outcome: valid ? 'valid' : 'invalid' });
    if (!valid)
      this.#log.error(
        `an audit found a change of session ${sessionId}: ${finding ?? 'unknown'}${firstInvalidSeq === undefined ? '' : `, event ${firstInvalidSeq}`}`,
      );
  }
}
