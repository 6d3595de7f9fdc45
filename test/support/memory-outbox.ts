import { type HeldLeases, type Job, type Leased, Outbox } from '../../src/ports/index.js';
import { turnJob } from '../../src/session/state/turn-jobs.js';
import type { MemoryState, WaitingJob } from './memory-state.js';

export class MemoryOutbox extends Outbox {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    super();
    this.#state = state;
  }

  override async lease(limit: number, perTenant: number, leaseMs: number): Promise<Leased> {
    const now = this.#state.now();
    const jobs = [...this.#state.jobs.values()];
    const overdue = jobs.filter((waiting) => waiting.isOut && waiting.notBefore <= now);
    const places = new Map<string, number>();
    const place = ({ payload: { tenantId } }: Job): number => places.set(tenantId, (places.get(tenantId) ?? 0) + 1).get(tenantId)!;
    for (const { isOut, job } of jobs) if (isOut) place(job);
    const fresh = jobs
      .filter((waiting) => !waiting.isOut)
      .map((waiting) => ({ waiting, place: place(waiting.job) }))
      .filter((candidate) => candidate.place <= perTenant)
      .toSorted((one, other) => one.place - other.place)
      .map(({ waiting }) => waiting);
    const chosen = [...overdue, ...fresh].slice(0, limit);
    const ends = jobs.filter((waiting) => waiting.isOut && waiting.notBefore > now).map(({ notBefore }) => notBefore - now);
    for (const waiting of chosen) Object.assign(waiting, { isOut: true, notBefore: now + leaseMs, holder: null });
    return { jobs: chosen.map(({ job }) => job), nextMs: ends.length === 0 ? null : Math.min(...ends), runMs: null };
  }

  override async claim({ id }: Job): Promise<number | null> {
    const waiting = this.#state.jobs.get(id);
    if (!waiting) return null;
    waiting.fence = this.#state.lastFence += 1;
    waiting.holder = null;
    return waiting.fence;
  }

  override async renew(holder: string, jobs: readonly Job[], leaseMs: number): Promise<readonly string[]> {
    const held = this.#heldBy(holder, jobs);
    for (const waiting of held) waiting.notBefore = this.#state.now() + leaseMs;
    return held.map(({ job }) => job.id);
  }

  override async release(holder: string, jobs: readonly Job[]): Promise<void> {
    for (const waiting of this.#heldBy(holder, jobs)) Object.assign(waiting, { isOut: false, holder: null, notBefore: this.#state.now() });
  }

  #heldBy(holder: string, jobs: readonly Job[]): readonly WaitingJob[] {
    const ids = new Set(jobs.map(({ id }) => id));
    return [...this.#state.jobs.values()].filter((waiting) => waiting.holder === holder && ids.has(waiting.job.id));
  }

  override async redeliver(): Promise<void> {
    for (const waiting of this.#state.jobs.values()) if (waiting.isOut && waiting.holder === null) waiting.notBefore = this.#state.now();
  }

  /** It cannot tell whether a process has died. */
  override async endAbandoned(): Promise<HeldLeases> {
    const out = [...this.#state.jobs.values()].filter(({ isOut }) => isOut);
    return { ended: 0, held: out.some(({ holder }) => holder !== null), queued: out.some(({ holder }) => holder === null) };
  }

  override async requeueOrphaned(idleMs: number, limit: number): Promise<number> {
    const before = this.#state.now() - idleMs;
    const busy = new Set([...this.#state.jobs.values()].map(({ job }) => job.payload.turnId));
    const orphaned = [...this.#state.sessions.values()]
      .filter(({ row }) => row.status === 'running' && Date.parse(row.updatedAt) < before && !busy.has(row.turnId!))
      .toSorted((one, other) => Date.parse(one.row.updatedAt) - Date.parse(other.row.updatedAt))
      .slice(0, limit);
    for (const { tenantId, row, events } of orphaned) {
      const segment = events.findLast(({ type }) => type === 'turn.started' || type === 'turn.resumed');
      const id = turnJob(row.turnId!, segment?.type === 'turn.resumed' ? segment.seq : 0);
      this.#state.addJob({ queue: 'turns', id, payload: { tenantId, sessionId: row.id, turnId: row.turnId! } });
    }
    return orphaned.length;
  }
}
