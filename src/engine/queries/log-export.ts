import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Blobs, Clock, EventLog, TransparencyLog } from '../../ports/index.js';
import { ErasedEvents } from '../../../packages/protocol/events/erased-events.js';
import type { EventData, ForkedFrom } from '../../../packages/protocol/events/events.js';
import { filesIn } from '../../../packages/protocol/message/files-in.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { LOG_FORMAT } from '../../../packages/proofs/verification/log-lines.js';
import { AuditQueries } from '../audit/audit-queries.js';
import { SessionQueries } from './session-queries.js';
import type { InclusionView } from '../audit/transparency-queries.js';
import type { ExportView } from './views.js';

/** Events that are read at once. */
const PAGE = 500;

/** Between two looks at the transparency log. */
const PROOF_POLL_MS = 100;

/**
 * Exports a session's log with everything that proves it: events as they are stored, with salts, digests and hashes; of a fork, those of its parents, as far as the reader may read
 * them; the files that they refer to; and the proof of the newest event.
 */
@Injectable()
export class LogExport {
  constructor(
    private readonly sessions: SessionQueries,
    private readonly store: EventLog,
    private readonly audits: AuditQueries,
    private readonly log: TransparencyLog,
    private readonly blobs: Blobs,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'EXPORT_PROOF_WAIT_MS'>,
  ) {}

  async export(principal: AuthorizedCaller, sessionId: string): Promise<ExportView> {
    const { version } = await this.sessions.session(principal, sessionId);
    return { version, lines: this.#lines(principal, sessionId, version) };
  }

  async *#lines(principal: AuthorizedCaller, sessionId: string, version: number): AsyncGenerator<object> {
    const { tenantId } = principal;
    const found: Found = { files: new Map(), from: null };
    yield { type: 'log', format: LOG_FORMAT, sessionId, tenantId, events: version };
    if (!(yield* this.#events(tenantId, sessionId, version, found))) return; // an event is missing: the file ends without its last line
    for (let parent = found.from; parent; parent = found.from) {
      found.from = null;
      const events = (await this.#isReadable(principal, parent.sessionId)) ? parent.seq : 0;
      yield { type: 'parent', sessionId: parent.sessionId, seq: parent.seq, headHash: parent.headHash, events };
      if (!(yield* this.#events(tenantId, parent.sessionId, events, found))) return;
      yield* this.#erasures(tenantId, parent.sessionId, events);
    }
    for (const [sha256, owner] of found.files) {
      const blob = (await this.blobs.get(tenantId, owner, [sha256])).get(sha256);
      yield { type: 'file', sha256, mediaType: blob?.mediaType ?? null, content: blob ? Buffer.from(blob.content).toString('base64') : null };
    }
    yield { type: 'proof', proof: await this.#proof(tenantId, sessionId, version) };
  }

  /** Shared events of the parent that were erased after the fork are reported by later ones of its log: it continues up to the last of these, without other content. */
  async *#erasures(tenantId: string, sessionId: string, shared: number): AsyncGenerator<object> {
    const erased = new ErasedEvents();
    let after = 0;
    for (; after < shared;) {
      const rows = await this.store.stored(tenantId, sessionId, after, Math.min(PAGE, shared - after));
      for (const row of rows) erased.add({ ...row, type: row.eventType });
      if (rows.length === 0) return;
      after = rows.at(-1)!.seq;
    }
    let upTo: number | null = null;
    for (let next = after; isMissing(erased, shared);) {
      const rows = await this.store.stored(tenantId, sessionId, next, PAGE);
      for (const row of rows) {
        if (row.eventType !== 'content.erased' || !isMissing(erased, shared)) continue;
        erased.add({ ...row, type: row.eventType });
        upTo = row.seq;
      }
      if (rows.length === 0) break;
      next = rows.at(-1)!.seq;
    }
    if (upTo === null) return;
    yield { type: 'erasures', events: upTo };
    for (let next = after; next < upTo;) {
      const rows = await this.store.stored(tenantId, sessionId, next, Math.min(PAGE, upTo - next));
      for (const row of rows) yield { type: 'event', ...row, ...(row.eventType === 'content.erased' ? {} : { data: null, salt: null }) };
      if (rows.length === 0) return;
      next = rows.at(-1)!.seq;
    }
    yield { type: 'proof', proof: await this.#proof(tenantId, sessionId, upTo) };
  }

  /** Waits for the proof of the last event for a short time: the transparency log gets it about a second after it was recorded. */
  async #proof(tenantId: string, sessionId: string, version: number): Promise<InclusionView | null> {
    const until = this.clock.now() + this.settings.EXPORT_PROOF_WAIT_MS;
    let [size, proof]: [number, InclusionView | null] = [-1, null];
    for (;;) {
      const head = await this.log.head();
      if (head && head.size > size) [size, proof] = [head.size, await this.audits.proof(tenantId, sessionId, head, version)];
      if (proof?.seq === version || this.clock.now() >= until) return proof;
      await new Promise((resolve) => setTimeout(resolve, PROOF_POLL_MS));
    }
  }

  /** False: an event is missing. */
  async *#events(tenantId: string, sessionId: string, upTo: number, found: Found): AsyncGenerator<object, boolean> {
    for (let after = 0; after < upTo;) {
      const rows = await this.store.stored(tenantId, sessionId, after, Math.min(PAGE, upTo - after));
      for (const row of rows) {
        const data: unknown = JSON.parse(row.data);
        for (const file of filesIn(data)) if (!found.files.has(file)) found.files.set(file, sessionId);
        if (row.eventType === 'session.created') found.from = (data as EventData['session.created']).forkedFrom ?? null;
        yield { type: 'event', ...row };
      }
      const last = rows.at(-1);
      if (!last) return false;
      after = last.seq;
    }
    return true;
  }

  async #isReadable(principal: AuthorizedCaller, sessionId: string): Promise<boolean> {
    try {
      await this.sessions.session(principal, sessionId);
      return true;
    } catch (error) {
      if (error instanceof DomainError && (error.code === 'session_not_found' || error.code === 'forbidden')) return false;
      throw error;
    }
  }
}

/** What the events of an export refer to. */
interface Found {
  /** SHA-256 of a file, and the session that may read it. */
  readonly files: Map<string, string>;
  from: ForkedFrom | null;
}

/** Whether an erased event of those that are shared is not reported yet. */
const isMissing = (erased: ErasedEvents, shared: number): boolean => (erased.firstFault()?.seq ?? Number.POSITIVE_INFINITY) <= shared;
