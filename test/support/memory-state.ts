import type { Job, Receipt, SessionListPage } from '../../src/ports/index.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';

export type ListedSession = SessionListPage['data'][number];

export interface StoredSession {
  readonly tenantId: string;
  /** Frozen: all readers get the same objects. */
  readonly events: SessionEvent[];
  /** Of each event and those before it, made at the append: an erasure changes no hash. */
  readonly hashes: string[];
  row: ListedSession;
  /** As start_helper writes it. */
  readonly helper: { readonly parentId: string; readonly parentTurnId: string; readonly turnId: string | null; isOpen: boolean } | null;
}

export interface WaitingJob {
  readonly job: Job;
  isOut: boolean;
  notBefore: number;
  fence: number;
  holder: string | null;
}

/** What the parts of a memory store share. */
export class MemoryState {
  readonly sessions = new Map<string, StoredSession>();
  readonly receipts = new Map<string, Omit<Receipt, 'sameRequest'> & { readonly requestHash: string; readonly createdAt: number }>();
  readonly jobs = new Map<string, WaitingJob>();
  lastFence = 0;

  constructor(readonly now: () => number) {}

  own(tenantId: string, sessionId: string): StoredSession | null {
    return this.sessions.get(`${tenantId}/${sessionId}`) ?? null;
  }

  keep(sessionId: string, session: StoredSession): void {
    this.sessions.set(`${session.tenantId}/${sessionId}`, session);
  }

  waiting(perTenant: number): readonly string[] {
    const leases = new Map<string, number>();
    for (const { isOut, job } of this.jobs.values()) if (isOut) leases.set(job.payload.tenantId, (leases.get(job.payload.tenantId) ?? 0) + 1);
    return [...this.jobs.values()]
      .filter(({ isOut, fence, job }) => (isOut ? fence === 0 : (leases.get(job.payload.tenantId) ?? 0) < perTenant))
      .map(({ job }) => job.id);
  }

  addJob(job: Job): void {
    if (!this.jobs.has(job.id)) this.jobs.set(job.id, { job, isOut: false, notBefore: this.now(), fence: 0, holder: null });
  }
}
