import type { Acting } from '../core/access/principal.js';
import { DomainError } from '../core/errors.js';
import { AlteredBlob, type Audit, type Blobs, type EventStore, type SessionList, type Sessions } from '../core/ports.js';
import { requireAccess } from '../core/session/access.js';
import type { ForkedFrom } from '../core/session/events.js';
import { filesIn } from '../core/session/message-erasure.js';
import type { SessionState } from '../core/session/state.js';
import { firstEvent } from './first-event.js';
import { isRowOf } from './list-row.js';
import type { AuditView } from './views.js';

/** How often an audit reads the row of a log that grows meanwhile. */
const ROW_ATTEMPTS = 4;

/** The audit of one session: its log, the logs that it shares as a fork, its row of the session list, and its files. */
export class SessionAudit {
  constructor(
    private readonly store: EventStore,
    private readonly sessions: Sessions,
    private readonly sessionList: SessionList,
    private readonly blobs: Blobs,
  ) {}

  async audit(principal: Acting, sessionId: string): Promise<AuditView> {
    const subject = await this.#auditSubject(principal.tenantId, sessionId);
    requireAccess(subject, principal);
    const { forkedFrom } = subject;
    const files = await this.#files(principal.tenantId, sessionId, subject.state);
    const stored = await this.store.verify(principal.tenantId, sessionId);
    const version = Math.max(subject.version, stored?.events ?? 0);
    const rowMatches = await this.#rowMatches(principal.tenantId, sessionId);
    const found = stored && withoutTail(stored, subject.version, rowMatches);
    const audit = found && { ...found, valid: found.valid && files.invalid.length === 0, files };
    if (!audit) throw new DomainError('session_not_found', 'There is no such session.');
    if (!forkedFrom) return { version, ...audit };
    const parents = await this.#parents(principal.tenantId, forkedFrom);
    return { version, ...audit, valid: audit.valid && parents.every(({ valid }) => valid), parents };
  }

  /** Whether the row of the session list is that of the log. Read again a few times, because an append may come in between; of a log that keeps growing, what changes is not compared. */
  async #rowMatches(tenantId: string, sessionId: string): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const row = await this.sessionList.find(tenantId, sessionId);
      const { version, ownerId, title, model, state } = await this.#auditSubject(tenantId, sessionId);
      const isFixed = row !== null && row.userId === ownerId && row.title === title && row.model === model;
      const isSame = isFixed && (row.version !== version || state === null || isRowOf(row, state));
      if (isSame && (row.version === version || attempt === ROW_ATTEMPTS)) return true;
      if (attempt === ROW_ATTEMPTS) return false;
    }
  }

  /** The files that messages and prompts of the session refer to, one after the other: those that are gone, or have other bytes. */
  async #files(tenantId: string, sessionId: string, state: SessionState | null): Promise<AuditView['files']> {
    const names = state === null ? [] : [...new Set([...state.messages.values(), ...state.prompts.values()].flatMap(filesIn))];
    const invalid: string[] = [];
    for (const name of names) if (!(await this.#isStored(tenantId, sessionId, name))) invalid.push(name);
    return { checked: names.length, invalid };
  }

  async #isStored(tenantId: string, sessionId: string, name: string): Promise<boolean> {
    try {
      return (await this.blobs.get(tenantId, sessionId, [name])).has(name);
    } catch (error) {
      if (error instanceof AlteredBlob) return false;
      throw error;
    }
  }

  /** The ancestor logs of a fork, nearest first: each must be valid up to the version that was forked, with the head hash recorded then. */
  async #parents(tenantId: string, from: ForkedFrom): Promise<NonNullable<AuditView['parents']>> {
    const found: NonNullable<AuditView['parents']>[number][] = [];
    for (let next: ForkedFrom | null = from; next;) {
      const { sessionId, seq, headHash }: ForkedFrom = next;
      const audit = await this.store.verify(tenantId, sessionId);
      const isValid = audit !== null && (audit.firstInvalidSeq ?? Infinity) > seq;
      found.push({ sessionId, seq, headHash, valid: isValid && (await this.store.hashAt(tenantId, sessionId, seq)) === headHash });
      next = (await firstEvent(this.store, tenantId, sessionId))?.data.forkedFrom ?? null;
    }
    return found;
  }

  /** What an audit compares. A log with events of a newer server cannot be folded: then only its first event is read, and title and model are not compared. */
  async #auditSubject(tenantId: string, sessionId: string): Promise<AuditSubject> {
    try {
      const state = await this.sessions.load(tenantId, sessionId);
      const { version, status, ownerId, grants, readers, forkedFrom, settings } = state;
      return { version, status, ownerId, grants, readers, forkedFrom, title: settings.title, model: settings.model, state };
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'server_outdated') throw error;
      const [created, row] = await Promise.all([firstEvent(this.store, tenantId, sessionId), this.sessionList.find(tenantId, sessionId)]);
      if (!created || !row) throw error;
      const { status, title, model } = row;
      return {
        version: created.seq,
        status,
        ownerId: created.actor.id,
        grants: new Map(),
        readers: new Map(),
        forkedFrom: created.data.forkedFrom ?? null,
        title,
        model,
        state: null,
      };
    }
  }
}

interface AuditSubject extends Pick<SessionState, 'version' | 'status' | 'ownerId' | 'grants' | 'readers' | 'forkedFrom'> {
  readonly title: string | null;
  readonly model: string;
  /** Null when the log cannot be folded. */
  readonly state: SessionState | null;
}

/** A log that ends before a version that this process has read was cut, even if its stored head agrees with it. */
function withoutTail(audit: Audit, version: number, rowMatches: boolean): Audit & { readonly rowMatches: boolean } {
  if (audit.events >= version) return { ...audit, valid: audit.valid && rowMatches, rowMatches };
  return { ...audit, valid: false, firstInvalidSeq: audit.firstInvalidSeq ?? audit.events + 1, rowMatches };
}
