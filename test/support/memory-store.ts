import { createHash } from 'node:crypto';
import { decodeCursor, encodeCursor } from '../../src/platform/postgres/store/cursor.js';
import { recorded, requireStorable, toColumns } from '../../src/platform/postgres/store/row.js';
import type { StoredEvent } from '../../src/ports/index.js';
import {
  EventStore,
  type Helpers,
  Outbox,
  SessionList,
  type Append,
  type AppendOutcome,
  type Audit,
  type KnownVersion,
  type Receipt,
  type SessionFilter,
  type SessionListPage,
  type TurnClaim,
  type VerifiedPlace,
  type WaitingTurn,
} from '../../src/ports/index.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import { MemoryHelpers } from './memory-helpers.js';
import { MemoryOutbox } from './memory-outbox.js';
import { type ListedSession, MemoryState, type StoredSession } from './memory-state.js';

/** Everything the store keeps, in this process's memory; the contract suite holds it to what the real one does. */
export interface MemoryStore {
  readonly events: EventStore;
  readonly sessions: SessionList;
  readonly outbox: Outbox;
  readonly helpers: Helpers;
  /** All sessions, and whether each is a helper for which something may be left to be done. */
  all(): readonly { readonly tenantId: string; readonly sessionId: string; readonly isOpen: boolean }[];
  /** Ids of jobs that no worker has claimed, without those that wait for a share of their tenant. */
  waiting(perTenant: number): readonly string[];
  /** Ids of all jobs. */
  jobs(): readonly string[];
  /** As after a restore of a database that had none yet. */
  loseJobs(): void;
}

/** `now`: milliseconds since the epoch. */
export function memoryStore(now: () => number = Date.now): MemoryStore {
  const state = new MemoryState(now);
  return {
    events: new MemoryEventStore(state),
    sessions: new MemorySessionList(state),
    outbox: new MemoryOutbox(state),
    helpers: new MemoryHelpers(state),
    all: () => [...state.sessions.values()].map(({ tenantId, row, helper }) => ({ tenantId, sessionId: row.id, isOpen: helper?.isOpen ?? false })),
    waiting: (perTenant) => state.waiting(perTenant),
    jobs: () => [...state.jobs.keys()],
    loseJobs: () => state.jobs.clear(),
  };
}

class MemoryEventStore extends EventStore {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    super();
    this.#state = state;
  }

  override async append(append: Append): Promise<AppendOutcome> {
    const { tenantId, sessionId, commandId, requestHash, summary } = append;
    if (summary.title !== null) requireStorable(summary.title, '/title');
    requireStorable(summary.model, '/model');
    const known = await this.receipt(tenantId, commandId, requestHash);
    if (known) {
      const same = known.sameRequest && known.sessionId === sessionId;
      return same ? { kind: 'duplicate', firstSeq: known.firstSeq, lastSeq: known.lastSeq } : { kind: 'key_reused' };
    }
    const session = this.#state.own(tenantId, sessionId);
    const { claim } = append;
    if (claim && this.#state.jobs.get(claim.jobId)?.fence !== claim.fence) return { kind: 'fenced' };
    const version = session?.events.length ?? 0;
    if (append.expectedVersion !== version) return { kind: 'conflict', version };
    const wasFree = !this.#hasPending(tenantId);
    const events = this.#write(append, session);
    const jobsPending = append.completedJobs.length > 0 && this.#hasPending(tenantId);
    const isNew = append.events.length > 0 && append.jobs.every(({ id }) => !this.#state.jobs.has(id));
    for (const job of append.events.length > 0 ? append.jobs : []) this.#state.addJob(job);
    return {
      kind: 'appended',
      events,
      headHash: events.length > 0 ? await this.hashAt(tenantId, sessionId, events.at(-1)!.seq) : null,
      jobsPending,
      claim: isNew && wasFree ? this.#dispatch(append) : null,
    };
  }

  #hasPending(tenantId: string): boolean {
    return [...this.#state.jobs.values()].some(({ isOut, job }) => !isOut && job.payload.tenantId === tenantId);
  }

  #dispatch({ tenantId, dispatch, jobs }: Append): TurnClaim | null {
    const [job] = jobs;
    if (!dispatch || !job || jobs.length > 1) return null;
    const leases = [...this.#state.jobs.values()].filter((waiting) => waiting.isOut && waiting.job.payload.tenantId === tenantId).length;
    if (leases >= dispatch.perTenant) return null;
    const fence = (this.#state.lastFence += 1);
    Object.assign(this.#state.jobs.get(job.id)!, { isOut: true, notBefore: this.#state.now() + dispatch.leaseMs, fence, holder: dispatch.holder });
    return { jobId: job.id, fence };
  }

  override async load(tenantId: string, sessionId: string, after = 0, upTo = Infinity): Promise<readonly SessionEvent[]> {
    const events = this.#state.own(tenantId, sessionId)?.events ?? [];
    return events.slice(Math.max(after, 0), Math.max(upTo, 0));
  }

  /** Nobody changes what is in memory: there is nothing to verify. */
  override async follow(tenantId: string, sessionId: string, after: VerifiedPlace | null, upTo: number) {
    const events = await this.load(tenantId, sessionId, after?.seq ?? 0, upTo);
    const last = events.at(-1);
    return { events, place: last ? { seq: last.seq, hash: (await this.hashAt(tenantId, sessionId, last.seq))! } : after };
  }

  override page(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly SessionEvent[]> {
    return this.load(tenantId, sessionId, after, after + limit);
  }

  override async receipt(tenantId: string, commandId: string, requestHash: string): Promise<Receipt | null> {
    const found = this.#state.receipts.get(`${tenantId} ${commandId}`);
    if (!found) return null;
    const { createdAt: _, requestHash: stored, ...receipt } = found;
    return { ...receipt, sameRequest: stored === requestHash };
  }

  override async exceeds(tenantId: string, sessionId: string, most: { readonly events: number; readonly bytes: number }): Promise<boolean> {
    const events = await this.load(tenantId, sessionId);
    return events.length > most.events || events.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0) > most.bytes;
  }

  override async within(tenantId: string, sessionId: string, after: number, most: { readonly events: number; readonly bytes: number }): Promise<number> {
    let bytes = 0;
    const events = await this.load(tenantId, sessionId, after, after + most.events);
    const over = events.findIndex(({ data }) => (bytes += Buffer.byteLength(JSON.stringify(data))) > most.bytes);
    return Math.max(1, over === -1 ? events.length : over);
  }

  override stored(): Promise<readonly StoredEvent[]> {
    throw new Error('the memory store does not export');
  }

  override async hashAt(tenantId: string, sessionId: string, seq: number): Promise<string | null> {
    return this.#state.own(tenantId, sessionId)?.hashes[seq - 1] ?? null;
  }

  override async verify(tenantId: string, sessionId: string): Promise<Audit | null> {
    const session = this.#state.own(tenantId, sessionId);
    if (!session) return null;
    const hashes = Buffer.from(session.hashes.join(''), 'hex');
    return {
      events: session.events.length,
      headHash: session.hashes.at(-1)!,
      valid: true,
      erased: session.events.filter(({ erased }) => erased).length,
      hashes,
    };
  }

  override async forks(tenantId: string, sessionId: string): Promise<readonly string[]> {
    return [...this.#state.sessions.values()]
      .filter((session) => session.tenantId === tenantId && session.events.some(({ type, data }) => type === 'session.forked' && data.from === sessionId))
      .map(({ row }) => row.id);
  }

  override async erasedSince(sessions: readonly KnownVersion[]): Promise<readonly KnownVersion[]> {
    return sessions.filter(({ tenantId, sessionId, version }) =>
      this.#state.own(tenantId, sessionId)?.events.some(({ type, seq }) => type === 'content.erased' && seq > version),
    );
  }

  override async pruneReceipts(maxAgeMs: number, limit: number): Promise<number> {
    const old = [...this.#state.receipts].filter(([, { createdAt }]) => createdAt < this.#state.now() - Math.max(maxAgeMs, 86_400_000)).slice(0, limit);
    for (const [key] of old) this.#state.receipts.delete(key);
    return old.length;
  }

  #write(append: Append, session: StoredSession | null): readonly SessionEvent[] {
    const { tenantId, sessionId, commandId, requestHash, summary, completedJobs } = append;
    const firstSeq = (session?.events.length ?? 0) + 1;
    this.#state.receipts.set(`${tenantId} ${commandId}`, {
      sessionId,
      requestHash,
      firstSeq,
      lastSeq: firstSeq + append.events.length - 1,
      createdAt: this.#state.now(),
    });
    if (append.events.length === 0) return [];
    const time = new Date(Math.max(this.#state.now(), Date.parse(session?.row.updatedAt ?? '1970'))).toISOString();
    const events = recorded(append, toColumns(append.events), firstSeq, time).map(frozen);
    const version = firstSeq + append.events.length - 1;
    const row = {
      ...conversationOf(session?.row, append.projection ?? null),
      ...summary,
      id: sessionId,
      version,
      createdAt: session?.row.createdAt ?? time,
      updatedAt: time,
    };
    const stored = session ?? { tenantId, events: [], hashes: [], row, helper: helperIn(append) };
    stored.row = { ...row, userId: stored.row.userId };
    stored.events.push(...events);
    for (const event of events) stored.hashes.push(linkOf(stored.hashes.at(-1) ?? '', event));
    for (const event of events) {
      if (event.type !== 'content.erased') continue;
      for (const { seq, data } of event.data.events) stored.events[seq - 1] = frozen({ ...stored.events[seq - 1]!, data, erased: true } as SessionEvent);
    }
    this.#state.keep(sessionId, stored);
    for (const id of completedJobs) if (this.#state.jobs.get(id)?.job.payload.tenantId === tenantId) this.#state.jobs.delete(id);
    return events;
  }
}

class MemorySessionList extends SessionList {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    super();
    this.#state = state;
  }

  override async list(tenantId: string, filter: SessionFilter, limit: number, cursor: string | null): Promise<SessionListPage> {
    const place = ({ updatedAt, id }: Pick<ListedSession, 'updatedAt' | 'id'>): string => `${updatedAt} ${id}`;
    const list = [tenantId, filter];
    const known = cursor === null ? null : decodeCursor(cursor, list);
    const last = known && place({ updatedAt: known.at, id: known.id });
    const { userId, archived, status, model, updatedAfter = '', updatedBefore = '9' } = filter;
    const rows = [...this.#state.sessions.values()]
      .filter((session) => session.tenantId === tenantId && session.row.status !== 'importing' && (userId === null || session.row.userId === userId))
      .map((session) => session.row)
      .filter((row) => row.archived === archived && row.status === (status ?? row.status) && row.model === (model ?? row.model))
      .filter((row) => row.updatedAt >= updatedAfter && row.updatedAt < updatedBefore)
      .filter((row) => last === null || place(row) < last)
      .toSorted((one, other) => (place(one) < place(other) ? 1 : -1));
    const data = rows.slice(0, limit);
    const end = data.at(-1);
    return { data, nextCursor: rows.length > limit && end ? encodeCursor({ at: end.updatedAt, id: end.id }, list) : null };
  }

  override async changedSince(tenantId: string, userId: string, since: string, limit: number, lateMs: number | null): Promise<readonly ListedSession[]> {
    const from = lateMs === null ? since : new Date(Math.min(Date.parse(since), this.#state.now()) - lateMs).toISOString();
    return [...this.#state.sessions.values()]
      .filter(({ row, ...session }) => session.tenantId === tenantId && row.userId === userId && row.updatedAt >= from && row.status !== 'importing')
      .map(({ row }) => row)
      .toSorted((one, other) => (one.updatedAt < other.updatedAt ? -1 : 1))
      .slice(0, limit);
  }

  override async find(): Promise<never> {
    throw new Error('the memory store is not audited');
  }

  override async expiredWaits(idleMs: number, limit: number): Promise<readonly WaitingTurn[]> {
    const before = this.#state.now() - idleMs;
    return [...this.#state.sessions.values()]
      .filter(({ row }) => row.status === 'waiting' && Date.parse(row.updatedAt) < before)
      .toSorted((one, other) => Date.parse(one.row.updatedAt) - Date.parse(other.row.updatedAt))
      .slice(0, limit)
      .map(({ tenantId, row }) => ({ tenantId, sessionId: row.id, turnId: row.turnId!, updatedAt: row.updatedAt }));
  }
}

const NO_USAGE: ListedSession['usage'] = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 };

/** The members of a row that the projection changes. */
function conversationOf(row: ListedSession | undefined, projection: (Append['projection'] & object) | null) {
  const before = {
    archived: row?.archived ?? false,
    messageCount: row?.messageCount ?? 0,
    firstText: row?.firstText ?? null,
    lastText: row?.lastText ?? null,
    folder: row?.folder ?? null,
    usage: row?.usage ?? NO_USAGE,
  };
  if (!projection) return before;
  const { moved, messages, firstText, lastText, usage, archived, metadata } = projection;
  return {
    archived: archived ?? before.archived,
    messageCount: before.messageCount + messages,
    firstText: moved ? firstText : (before.firstText ?? firstText),
    lastText: moved ? lastText : (lastText ?? before.lastText),
    folder: metadata === null ? before.folder : typeof metadata['folder'] === 'string' ? metadata['folder'] : null,
    usage: usage ?? before.usage,
  };
}

function helperIn({ events }: Append): StoredSession['helper'] {
  const [created, started] = [events.find(({ type }) => type === 'session.created'), events.find(({ type }) => type === 'turn.started')];
  const parent = created?.type === 'session.created' ? created.data.parent : undefined;
  const turnId = started?.type === 'turn.started' ? started.data.turnId : null;
  return parent ? { parentId: parent.sessionId, parentTurnId: parent.turnId, turnId, isOpen: turnId !== null } : null;
}

const linkOf = (before: string, event: SessionEvent): string => createHash('sha256').update(before).update(JSON.stringify(event)).digest('hex');

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key in value) frozen(value[key]);
  }
  return value;
}
