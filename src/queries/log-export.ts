import { Injectable } from '@nestjs/common';
import { DomainError } from '../core/errors.js';
import { Blobs, EventStore, TransparencyLog } from '../core/ports.js';
import type { EventData, ForkedFrom, SentRequest } from '../core/session/events.js';
import { filesIn } from '../core/session/message-erasure.js';
import type { Acting } from '../core/access/principal.js';
import { AuditQueries } from './audit-queries.js';
import { SessionQueries } from './session-queries.js';
import type { ExportView } from './views.js';

/** Name and version of the format. */
export const LOG_FORMAT = 'verbatim log/1';

/** Events that are read at once. */
const PAGE = 500;

/**
 * Exports a session's log with everything that proves it: events as they are stored, with salts, digests and hashes; of a fork, those of its parents, as far as the reader may read
 * them; the files that they refer to; and the proof of the newest event.
 */
@Injectable()
export class LogExport {
  constructor(
    private readonly sessions: SessionQueries,
    private readonly store: EventStore,
    private readonly audits: AuditQueries,
    private readonly log: TransparencyLog,
    private readonly blobs: Blobs,
  ) {}

  /** `withRequests`: also the payload of every request, each rebuilt from the log. */
  async export(principal: Acting, sessionId: string, withRequests: boolean): Promise<ExportView> {
    const { version } = await this.sessions.session(principal, sessionId);
    return { version, lines: this.#lines(principal, sessionId, version, withRequests) };
  }

  async *#lines(principal: Acting, sessionId: string, version: number, withRequests: boolean): AsyncGenerator<object> {
    const { tenantId } = principal;
    const found: Found = { own: sessionId, files: new Map(), requests: [], from: null };
    yield { type: 'log', format: LOG_FORMAT, sessionId, tenantId, events: version };
    if (!(yield* this.#events(tenantId, sessionId, version, found))) return; // an event is missing: the file ends without its last line
    for (let parent = found.from; parent; parent = found.from) {
      found.from = null;
      const events = (await this.#isReadable(principal, parent.sessionId)) ? parent.seq : 0;
      yield { type: 'parent', sessionId: parent.sessionId, seq: parent.seq, headHash: parent.headHash, events };
      if (!(yield* this.#events(tenantId, parent.sessionId, events, found))) return;
    }
    for (const [sha256, owner] of found.files) {
      const blob = (await this.blobs.get(tenantId, owner, [sha256])).get(sha256);
      yield { type: 'file', sha256, mediaType: blob?.mediaType ?? null, content: blob ? Buffer.from(blob.content).toString('base64') : null };
    }
    if (withRequests) {
      for (const requestId of found.requests) {
        const { body } = await this.sessions.request(principal, sessionId, requestId);
        yield { type: 'request', requestId, payload: body };
      }
    }
    const head = await this.log.head();
    yield { type: 'proof', proof: head && (await this.audits.proof(tenantId, sessionId, head, version)) };
  }

  /** False: an event is missing. */
  async *#events(tenantId: string, sessionId: string, upTo: number, found: Found): AsyncGenerator<object, boolean> {
    for (let after = 0; after < upTo;) {
      const rows = await this.store.stored(tenantId, sessionId, after, Math.min(PAGE, upTo - after));
      for (const row of rows) {
        const data: unknown = JSON.parse(row.data);
        for (const file of filesIn(data)) if (!found.files.has(file)) found.files.set(file, sessionId);
        if (row.eventType === 'request.sent' && sessionId === found.own) found.requests.push((data as SentRequest).requestId);
        if (row.eventType === 'session.created') found.from = (data as EventData['session.created']).forkedFrom ?? null;
        yield { type: 'event', ...row };
      }
      const last = rows.at(-1);
      if (!last) return false;
      after = last.seq;
    }
    return true;
  }

  async #isReadable(principal: Acting, sessionId: string): Promise<boolean> {
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
  /** The session of which the requests are. */
  readonly own: string;
  /** SHA-256 of a file, and the session that may read it. */
  readonly files: Map<string, string>;
  readonly requests: string[];
  from: ForkedFrom | null;
}
