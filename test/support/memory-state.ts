import type { Job, Receipt, SessionListPage } from '../../src/core/ports.js';
import type { SessionEvent } from '../../src/core/session/events.js';

export type ListedSession = SessionListPage['data'][number];

export interface StoredSession {
  readonly tenantId: string;
  /** Frozen: all readers get the same objects. */
  readonly events: SessionEvent[];
  row: ListedSession;
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
  readonly feed: SessionEvent[] = [];
  readonly jobs = new Map<string, WaitingJob>();
  lastFence = 0;

  constructor(readonly now: () => number) {}

  own(tenantId: string, sessionId: string): StoredSession | null {
    const session = this.sessions.get(sessionId);
    return session?.tenantId === tenantId ? session : null;
  }

  addJob(job: Job): void {
    if (!this.jobs.has(job.id)) this.jobs.set(job.id, { job, isOut: false, notBefore: this.now(), fence: 0, holder: null });
  }
}
