import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { AlteredBlob, type Audit, type Blobs, type EventLog, type SessionList, type WholeRow, type Sessions, type VerifiedPlace } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { ForkedFrom } from '../../../packages/protocol/events/events.js';
import { filesIn } from '../../../packages/protocol/message/files-in.js';
import type { SessionState } from '../../session/state/state.js';
import { faultIn } from '../../../packages/protocol/events/tampered.js';
import type { RequestLog } from '../queries/request-log.js';
import type { NoView } from '../queries/sent-requests.js';
import { mapLimited } from '../../platform/async/map-limited.js';
import { firstEvent } from '../queries/first-event.js';
import { hashAt } from './leaf-comparison.js';
import { isRowOf } from '../queries/list-row.js';
import type { AuditView } from '../queries/views.js';

/** How often an audit reads the row of a log that grows meanwhile. */
const ROW_ATTEMPTS = 4;

/** How often the part of a log before a fault is folded: erasures may have a fault before it. */
const PREFIX_ATTEMPTS = 4;

/**
 * The audit of one session: its log, the logs that it shares as a fork, its row of the session list, and its files. The rows are verified before anything is made of them; what cannot be read, or throws,
 * is a finding.
 */
export class SessionAudit {
  constructor(
    private readonly store: EventLog,
    private readonly sessions: Sessions,
    private readonly sessionList: SessionList,
    private readonly blobs: Blobs,
    private readonly requestLog: RequestLog,
  ) {}

  /** `newest`: how many requests are rebuilt, too. */
  async audit(principal: AuthorizedCaller, sessionId: string, newest = 0): Promise<VerifiedAudit> {
    const { tenantId } = principal;
    const served = await this.#served(tenantId, sessionId);
    const stored = await this.#verified(tenantId, sessionId);
    const subject = await this.#subject(tenantId, sessionId, stored);
    requireAccess(subject, principal);
    const found = stored ?? NOTHING;
    const version = Math.max(subject.version, found.events);
    const [fault, firstInvalidSeq] = firstOf(found, subject, served);
    const rowMatches = await this.#rowMatches(tenantId, sessionId, subject);
    const files = await this.#files(tenantId, sessionId, subject.state);
    const isRebuilt = newest > 0 && subject.state !== null;
    const requests = isRebuilt ? await this.#requests(tenantId, sessionId, subject.state!, newest) : null;
    const parents = subject.forkedFrom ? await this.#parents(tenantId, subject.forkedFrom) : null;
    const finding =
      fault ??
      (isOf(found, served) ? null : 'set_back') ??
      (rowMatches ? null : 'row') ??
      (files.invalid.length > 0 ? 'file' : null) ??
      (requests && requests.invalid.length > 0 ? 'request' : null) ??
      (parents?.every(({ valid }) => valid) === false ? 'parent' : null) ??
      (isRebuilt && !requests ? 'unreadable' : null);
    const { events, headHash, erased, hashes } = found;
    return {
      hashes,
      version,
      events,
      headHash,
      erased,
      valid: finding === null,
      ...(finding === null ? {} : { finding }),
      ...(firstInvalidSeq === null ? {} : { firstInvalidSeq }),
      ...(finding === 'set_back' ? { setBack: true as const } : {}),
      rowMatches,
      files,
      ...(requests ? { requests } : {}),
      ...(parents ? { parents } : {}),
    };
  }

  /** Up to where this process has verified what it serves. Loaded before the rows are verified, which therefore have all of it. */
  async #served(tenantId: string, sessionId: string): Promise<VerifiedPlace | null> {
    await this.sessions.load(tenantId, sessionId).catch(() => null); // what is wrong with it is found below
    return this.sessions.place(tenantId, sessionId);
  }

  async #verified(tenantId: string, sessionId: string): Promise<Audit | null> {
    try {
      return await this.store.verify(tenantId, sessionId);
    } catch (error) {
      requireFinding(error);
      return { ...NOTHING, fault: 'unreadable' };
    }
  }

  /** Whether the row of the session list is that of the log. Read again a few times, because an append may come in between; of a log that keeps growing, what changes is not compared. */
  async #rowMatches(tenantId: string, sessionId: string, subject: AuditSubject): Promise<boolean> {
    for (let attempt = 1, now = subject; ; attempt += 1) {
      const row = await this.#row(tenantId, sessionId);
      const { version, ownerId, title, model, state } = now;
      const isFixed = row !== null && row.userId === ownerId && row.title === title && row.model === model;
      const isSame = isFixed && (row.version !== version || state === null || isRowOf(row, state));
      if (isSame && (row.version === version || attempt === ROW_ATTEMPTS)) return true;
      if (attempt === ROW_ATTEMPTS || subject.state === null) return isSame;
      now = await this.#folded(tenantId, sessionId);
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
      if (!(error instanceof AlteredBlob)) requireFinding(error);
      return false;
    }
  }

  /** Null: the log cannot be read up to the version that is served, which is found otherwise. Each request is as long as the conversation was: other work runs between them. */
  async #requests(tenantId: string, sessionId: string, { version, requests }: SessionState, newest: number): Promise<AuditView['requests'] | null> {
    const records = [...requests.values()].slice(-newest).reverse();
    const copy = await this.sessions.loadAt(tenantId, sessionId, version).catch((error: unknown) => (requireFinding(error), null));
    if (!copy) return null;
    const log = this.requestLog.of({ tenantId, sessionId });
    const problems = await mapLimited(records, 1, async ({ sent, seq }) => {
      await new Promise((resolve) => setImmediate(resolve));
      const problem = await problemOf(log.digest(copy, sent.requestId), sent.digest);
      return problem === undefined ? [] : [{ requestId: sent.requestId, seq, problem }];
    });
    const invalid = problems.flat().flatMap(({ problem, ...of }) => (problem === null ? [] : [{ ...of, problem }]));
    return { checked: records.length, erased: problems.flat().length - invalid.length, invalid };
  }

  /** The ancestor logs of a fork, nearest first: each must be valid up to the version that was forked, with the head hash recorded then. */
  async #parents(tenantId: string, from: ForkedFrom): Promise<NonNullable<AuditView['parents']>> {
    const found: NonNullable<AuditView['parents']>[number][] = [];
    const seen = new Set<string>();
    for (let next: ForkedFrom | null = from; next && !seen.has(next.sessionId);) {
      const { sessionId, seq, headHash }: ForkedFrom = next;
      seen.add(sessionId);
      const audit: Audit | null = await this.#verified(tenantId, sessionId);
      const isValid: boolean = audit !== null && audit.fault !== 'unreadable' && (audit.firstInvalidSeq ?? Infinity) > seq;
      found.push({ sessionId, seq, headHash, valid: isValid && isOf(audit ?? NOTHING, { seq, hash: headHash }) });
      next = isValid ? ((await firstEvent(this.store, tenantId, sessionId))?.data.forkedFrom ?? null) : null;
    }
    return found;
  }

  /** What an audit compares. Of a log that cannot be folded, the part before the fault says who may read the audit; without one, the row of the session list does. */
  async #subject(tenantId: string, sessionId: string, stored: Audit | null): Promise<AuditSubject> {
    let first: AuditSubject['fault'] = null;
    try {
      const subject = await this.#folded(tenantId, sessionId);
      if (subject.version > 0 || stored === null) return subject;
    } catch (error) {
      requireFinding(error);
      const isNewer = error instanceof DomainError && error.code === 'server_outdated';
      if (!isNewer) first = faultIn(error) ?? { seq: 1, kind: 'unreadable' };
      if (isNewer) return await this.#ofFirstEvent(tenantId, sessionId, error);
    }
    const prefix = await this.#prefix(tenantId, sessionId, first);
    const row = prefix ? null : await this.#row(tenantId, sessionId);
    if (prefix) return { ...subjectOf(prefix), state: null, fault: first };
    const { status = 'idle', userId: ownerId = null, title = null, model = '' } = row ?? {};
    const version = Math.max(stored?.events ?? 0, row ? 1 : 0);
    return { version, status, ownerId, grants: new Map(), readers: new Map(), forkedFrom: null, title, model, state: null, fault: first };
  }

  async #folded(tenantId: string, sessionId: string): Promise<AuditSubject> {
    return subjectOf(await this.sessions.load(tenantId, sessionId));
  }

  /** The state before the fault; null when there is none. */
  async #prefix(tenantId: string, sessionId: string, fault: AuditSubject['fault']): Promise<SessionState | null> {
    let seq = fault?.seq ?? 1;
    for (let attempt = 1; seq > 1 && attempt <= PREFIX_ATTEMPTS; attempt += 1) {
      try {
        return await this.sessions.loadAt(tenantId, sessionId, seq - 1);
      } catch (error) {
        requireFinding(error);
        seq = Math.min(faultIn(error)?.seq ?? 1, seq - 1);
      }
    }
    return null;
  }

  /** Of a log with events of a newer server. Title and model are not compared. */
  async #ofFirstEvent(tenantId: string, sessionId: string, error: unknown): Promise<AuditSubject> {
    const [created, row] = await Promise.all([firstEvent(this.store, tenantId, sessionId), this.#row(tenantId, sessionId)]);
    if (!created || !row) throw error;
    const { status, title, model } = row;
    const forkedFrom = created.data.forkedFrom ?? null;
    return {
      version: created.seq,
      status,
      ownerId: created.actor.id,
      grants: new Map(),
      readers: new Map(),
      forkedFrom,
      title,
      model,
      state: null,
      fault: null,
    };
  }

  /** Null also when it cannot be read. */
  async #row(tenantId: string, sessionId: string): Promise<WholeRow | null> {
    try {
      return await this.sessionList.find(tenantId, sessionId);
    } catch (error) {
      requireFinding(error);
      return null;
    }
  }
}

const NOTHING: Audit = { events: 0, headHash: null, valid: false, erased: 0, hashes: new Uint8Array() };

/** Undefined: the request is the one that was sent. Null: its content was erased. */
async function problemOf(rebuilt: Promise<string | NoView>, recorded: string): Promise<string | null | undefined> {
  try {
    const digest = await rebuilt;
    if (typeof digest !== 'string') return digest.fault;
    return digest === recorded ? undefined : `its digest is ${digest}; ${recorded} was sent`;
  } catch (error) {
    if (error instanceof AlteredBlob) return 'a file in it has other bytes than those that were sent';
    requireFinding(error);
    return 'what the log has of it cannot be read';
  }
}

/** With the hash of each event, for what else they are compared with. */
export type VerifiedAudit = AuditView & Pick<Audit, 'hashes'>;

/** Whether the events that were verified are those of a log that was verified up to there. */
function isOf({ hashes }: Pick<Audit, 'hashes'>, place: VerifiedPlace | null): boolean {
  return place === null || Buffer.from(hashAt(hashes, place.seq)).toString('hex') === place.hash;
}

interface AuditSubject extends Pick<SessionState, 'version' | 'status' | 'ownerId' | 'grants' | 'readers' | 'forkedFrom'> {
  readonly title: string | null;
  readonly model: string;
  /** Null when the log cannot be folded. */
  readonly state: SessionState | null;
  /** Why it cannot. */
  readonly fault: { readonly seq: number; readonly kind: NonNullable<Audit['fault']> } | null;
}

function subjectOf(state: SessionState): AuditSubject {
  const { version, status, ownerId, grants, readers, forkedFrom, settings } = state;
  return { version, status, ownerId, grants, readers, forkedFrom, title: settings.title, model: settings.model, state, fault: null };
}

/** The first fault of the rows, or of what they are folded into. A log that ends before a version that this process has read was cut, even if its stored head agrees with it. */
function firstOf(stored: Audit, { version, state, fault }: AuditSubject, served: VerifiedPlace | null): readonly [Audit['fault'] | null, number | null] {
  if (stored.fault === 'unreadable') return ['unreadable', fault?.seq ?? null];
  if (stored.firstInvalidSeq !== undefined && stored.firstInvalidSeq <= (fault?.seq ?? Infinity)) return [stored.fault ?? 'altered', stored.firstInvalidSeq];
  if (fault) return [fault.kind, fault.seq];
  // The state may have events that were appended since the rows were verified.
  return stored.events < (state === null ? version : (served?.seq ?? 0)) ? ['missing', stored.events + 1] : [null, null];
}

/** Rethrows what says nothing about the session: the database, or a key of the key ring, is not available. A data key that is not stored any more was taken away. */
export function requireFinding(error: unknown): void {
  if (!(error instanceof DomainError)) return;
  const isStoredKey = error.code === 'key_unavailable' && UUID.test(String(error.details['keyId']));
  if (error.code === 'unavailable' || (error.code === 'key_unavailable' && !isStoredKey)) throw error;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
