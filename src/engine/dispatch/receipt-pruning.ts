import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { EventStore, LiveBus } from '../../ports/index.js';
import { OneOfMany } from './one-of-many.js';

const INTERVAL_MS = 60_000;

/** Small, so that a batch holds no locks for long. */
const BATCH = 1_000;

const DAY_MS = 86_400_000;

/** Deletes receipts past their retention. The database lets one process at a time do it. */
@Injectable()
export class ReceiptPruning {
  readonly #log = new Logger(ReceiptPruning.name);
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(
    private readonly store: EventStore,
    private readonly live: LiveBus,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'RECEIPT_RETENTION_DAYS'>,
  ) {}

  start(): void {
    const oneOfMany = new OneOfMany(this.live);
    const prune = (): void => {
      if (!oneOfMany.takes()) return;
      this.#running ??= this.prune()
        .catch((error: unknown) => this.#log.warn(`old receipts could not be deleted; retrying: ${String(error)}`))
        .finally(() => (this.#running = null));
    };
    this.#timer = setInterval(prune, INTERVAL_MS);
    prune();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  async prune(): Promise<void> {
    const maxAgeMs = this.settings.RECEIPT_RETENTION_DAYS * DAY_MS;
    while (!this.#stopped && (await this.store.pruneReceipts(maxAgeMs, BATCH)) === BATCH);
  }
}
