import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/env.js';
import { JobQueue, Outbox } from '../core/ports.js';
import { ExpiredWaits } from './expired-waits.js';
import { TurnTrace } from './turn-trace.js';
import { OutboxRelay } from './outbox-relay.js';
import { OrphanedTurns } from './orphaned-turns.js';
import { ReceiptPruning } from './receipt-pruning.js';
import { TurnDriver } from './turn-driver.js';

type WorkerSettings = Pick<
  Settings,
  'ROLE' | 'WORKER_CONCURRENCY' | 'TENANT_CONCURRENCY' | 'OUTBOX_POLL_MS' | 'STALLED_AFTER_MS' | 'TOOL_RESULT_TIMEOUT_MS' | 'SHUTDOWN_GRACE_MS'
>;

/** Background work of a process: every role delivers jobs to the queue; workers also run them. */
@Injectable()
export class Worker {
  constructor(
    private readonly relay: OutboxRelay,
    private readonly orphanedTurns: OrphanedTurns,
    private readonly expiredWaits: ExpiredWaits,
    private readonly receiptPruning: ReceiptPruning,
    private readonly driver: TurnDriver,
    private readonly queue: JobQueue,
    private readonly outbox: Outbox,
    private readonly trace: TurnTrace,
    @Inject(SETTINGS) private readonly settings: WorkerSettings,
  ) {}

  async start(): Promise<void> {
    const { ROLE, WORKER_CONCURRENCY, TENANT_CONCURRENCY, OUTBOX_POLL_MS, STALLED_AFTER_MS, TOOL_RESULT_TIMEOUT_MS } = this.settings;
    // Every role delivers the jobs it commits, so that a prompt does not wait for a worker's poll.
    this.relay.start({ pollMs: OUTBOX_POLL_MS, perTenant: TENANT_CONCURRENCY, leaseMs: STALLED_AFTER_MS });
    if (ROLE === 'api') return;
    this.orphanedTurns.start(STALLED_AFTER_MS);
    this.expiredWaits.start(STALLED_AFTER_MS, TOOL_RESULT_TIMEOUT_MS);
    this.receiptPruning.start();
    await this.queue.work(WORKER_CONCURRENCY, async (job, { signal }) => {
      const fence = await this.outbox.claim(job);
      if (fence === null) return; // delivered again after its turn ended or began to wait
      const claimed = { ...job.payload, claim: { jobId: job.id, fence } };
      await this.trace.during(job.payload, () => this.driver.drive(claimed, signal));
    });
  }

  /** Running turns have SHUTDOWN_GRACE_MS to finish; after that they are left to another worker. */
  async stop(): Promise<void> {
    this.orphanedTurns.stop();
    this.expiredWaits.stop();
    await this.receiptPruning.stop();
    await this.relay.stop();
    await this.queue.stop(this.settings.SHUTDOWN_GRACE_MS);
  }
}
