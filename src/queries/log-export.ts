import { Injectable } from '@nestjs/common';
import { EventStore, TransparencyLog } from '../core/ports.js';
import type { Acting } from '../core/access/principal.js';
import { AuditQueries } from './audit-queries.js';
import { SessionQueries } from './session-queries.js';
import type { ExportView } from './views.js';

/** Name and version of the format. */
export const LOG_FORMAT = 'verbatim log/1';

/** Events that are read at once. */
const PAGE = 500;

/** Exports a session's log with everything that proves it: events as they are stored, with salts, digests and hashes, and the proof of the newest one. */
@Injectable()
export class LogExport {
  constructor(
    private readonly sessions: SessionQueries,
    private readonly store: EventStore,
    private readonly audits: AuditQueries,
    private readonly log: TransparencyLog,
  ) {}

  async export(principal: Acting, sessionId: string): Promise<ExportView> {
    const { version } = await this.sessions.session(principal, sessionId);
    return { version, lines: this.#lines(principal, sessionId, version) };
  }

  async *#lines(principal: Acting, sessionId: string, version: number): AsyncGenerator<object> {
    const { tenantId } = principal;
    yield { type: 'log', format: LOG_FORMAT, sessionId, tenantId, events: version };
    for (let after = 0; after < version;) {
      const rows = await this.store.stored(tenantId, sessionId, after, Math.min(PAGE, version - after));
      for (const row of rows) yield { type: 'event', ...row };
      const last = rows.at(-1);
      if (!last) return; // an event is missing: the file ends without its last line
      after = last.seq;
    }
    const head = await this.log.head();
    yield { type: 'proof', proof: head && (await this.audits.proof(tenantId, sessionId, head, version)) };
  }
}
