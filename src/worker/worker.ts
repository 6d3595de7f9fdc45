import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/env.js';
import { JobQueue } from '../core/ports.js';
import { ExpiredWaits } from './expired-waits.js';
import { TurnTrace } from './turn-trace.js';
import { OutboxRelay } from './outbox-relay.js';
import { OrphanedTurns } from './orphaned-turns.js';
import { TurnDriver } from './turn-driver.js';

type WorkerSettings = Pick<
  Settings,
  'ROLE' | 'WORKER_CONCURRENCY' | 'TENANT_CONCURRENCY' | 'OUTBOX_POLL_MS' | 'STALLED_AFTER_MS' | 'TOOL_RESULT_TIMEOUT_MS' | 'SHUTDOWN_GRACE_MS'
>;

/** The part of a process that nobody calls: it hands work over, and in a worker does it. */
@Injectable()
export class Worker {
  constructor(
    private readonly relay: OutboxRelay,
    private readonly stalled: OrphanedTurns,
    private readonly forgotten: ExpiredWaits,
    private readonly driver: TurnDriver,
    private readonly queue: JobQueue,
    private readonly interaction: TurnTrace,
    @Inject(SETTINGS) private readonly settings: WorkerSettings,
  ) {}

  async start(): Promise<void> {
    const { ROLE, WORKER_CONCURRENCY, TENANT_CONCURRENCY, OUTBOX_POLL_MS, STALLED_AFTER_MS, TOOL_RESULT_TIMEOUT_MS } = this.settings;
    // Every role hands over what it commits: a prompt must not wait until some worker polls.
    this.relay.start({ pollMs: OUTBOX_POLL_MS, perTenant: TENANT_CONCURRENCY, leaseMs: STALLED_AFTER_MS });
    if (ROLE === 'api') return;
    this.stalled.start(STALLED_AFTER_MS);
    this.forgotten.start(STALLED_AFTER_MS, TOOL_RESULT_TIMEOUT_MS);
    await this.queue.work(WORKER_CONCURRENCY, async ({ id, payload }, { signal }) => {
      await this.interaction.during(payload, () => this.driver.drive(payload, id, signal));
      this.relay.done(id);
    });
  }

  /** Running turns get the time to finish that the settings give them; then they are left to another worker. */
  async stop(): Promise<void> {
    this.stalled.stop();
    this.forgotten.stop();
    await this.relay.stop();
    await this.queue.stop(this.settings.SHUTDOWN_GRACE_MS);
    await this.relay.settled();
  }
}
