import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from './platform/config/env.js';
import { type Job, JobQueue, Outbox, type TurnClaim } from './ports/index.js';
import { BACKGROUND_WORK, type BackgroundWork } from './engine/dispatch/background-work.js';
import { AbandonedTurns } from './engine/dispatch/abandoned-turns.js';
import { DirectTurns } from './engine/dispatch/direct-turns.js';
import { ExpiredWaits } from './engine/dispatch/expired-waits.js';
import { TurnTrace } from './engine/turn/turn-trace.js';
import { HelperWatch } from './engine/dispatch/helper-watch.js';
import { OutboxRelay } from './engine/dispatch/outbox-relay.js';
import { OrphanedTurns } from './engine/dispatch/orphaned-turns.js';
import { ReceiptPruning } from './engine/dispatch/receipt-pruning.js';
import { Stopping } from './engine/dispatch/stopping.js';
import { TurnDriver } from './engine/turn/turn-driver.js';

type WorkerSettings = Pick<
  Settings,
  | 'ROLE'
  | 'TURN_DISPATCH'
  | 'WORKER_CONCURRENCY'
  | 'TENANT_CONCURRENCY'
  | 'JOB_LOCK_MS'
  | 'OUTBOX_POLL_MS'
  | 'STALLED_AFTER_MS'
  | 'TOOL_RESULT_TIMEOUT_MS'
  | 'SHUTDOWN_GRACE_MS'
>;

/** Background work of a process: every role delivers jobs to the queue; workers also run them. */
@Injectable()
export class Worker {
  constructor(
    private readonly relay: OutboxRelay,
    private readonly orphanedTurns: OrphanedTurns,
    private readonly abandonedTurns: AbandonedTurns,
    private readonly expiredWaits: ExpiredWaits,
    private readonly helperWatch: HelperWatch,
    private readonly receiptPruning: ReceiptPruning,
    private readonly driver: TurnDriver,
    private readonly queue: JobQueue,
    private readonly outbox: Outbox,
    private readonly trace: TurnTrace,
    private readonly directTurns: DirectTurns,
    private readonly stopping: Stopping,
    @Inject(BACKGROUND_WORK) private readonly background: readonly BackgroundWork[],
    @Inject(SETTINGS) private readonly settings: WorkerSettings,
  ) {}

  async start(): Promise<void> {
    const { ROLE, TURN_DISPATCH, WORKER_CONCURRENCY, TENANT_CONCURRENCY, JOB_LOCK_MS, OUTBOX_POLL_MS, STALLED_AFTER_MS, TOOL_RESULT_TIMEOUT_MS } =
      this.settings;
    // Every role delivers the jobs it commits, so that a prompt does not wait for a worker's poll.
    this.relay.start({ pollMs: OUTBOX_POLL_MS, perTenant: TENANT_CONCURRENCY, leaseMs: STALLED_AFTER_MS });
    if (ROLE === 'api') return;
    this.orphanedTurns.start(STALLED_AFTER_MS);
    this.abandonedTurns.start({ leaseMs: JOB_LOCK_MS, idleMs: STALLED_AFTER_MS });
    this.expiredWaits.start(STALLED_AFTER_MS, TOOL_RESULT_TIMEOUT_MS);
    this.helperWatch.start(STALLED_AFTER_MS);
    this.receiptPruning.start();
    for (const work of this.background) work.start?.();
    await this.queue.work(WORKER_CONCURRENCY, (job, { signal }) =>
      this.directTurns.countQueued(async () => {
        const fence = await this.outbox.claim(job);
        if (fence !== null) await this.#run(job, { jobId: job.id, fence, dispatch: 'queue' }, signal, false);
        // Otherwise it was redelivered after its turn ended or began to wait.
      }),
    );
    if (TURN_DISPATCH === 'queue') return;
    this.directTurns.start({
      concurrency: WORKER_CONCURRENCY,
      perTenant: TENANT_CONCURRENCY,
      leaseMs: JOB_LOCK_MS,
      run: (job, claim, signal) => this.#run(job, { ...claim, dispatch: 'direct' }, signal, true),
    });
  }

  /**
   * Takes no more turns. Requests and calls that run have SHUTDOWN_GRACE_MS to end; each turn is then left to another worker, at once. This process still delivers jobs:
   * those of the turns that it leaves, and of the prompts that it accepts, until `close`.
   */
  async stop(): Promise<void> {
    this.stopping.begin();
    this.orphanedTurns.stop();
    this.expiredWaits.stop();
    const { SHUTDOWN_GRACE_MS } = this.settings;
    await Promise.all([this.abandonedTurns.stop(), this.queue.finish(SHUTDOWN_GRACE_MS), this.directTurns.stop(SHUTDOWN_GRACE_MS), this.receiptPruning.stop()]);
    await Promise.all([this.helperWatch.stop(), ...this.background.map((work) => work.stop())]);
  }

  /** To be called when no more prompts are accepted: what they have committed is delivered first. */
  async close(): Promise<void> {
    await this.relay.stop();
    await this.queue.stop(0);
  }

  /** `known`: this process has just appended the events that started the turn. */
  async #run(job: Job, claim: TurnClaim, signal: AbortSignal, known: boolean): Promise<void> {
    await this.trace.during(job.payload, () => this.driver.drive({ ...job.payload, claim }, signal, known));
    this.helperWatch.afterTurn(job.payload);
    for (const work of this.background) work.afterTurn?.(job.payload);
  }
}
