import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { OneOfMany } from '../../engine/dispatch/one-of-many.js';
import { LiveBus, Telemetry, UnusedObjects } from '../../ports/index.js';

/** Removes what no file names any more from the object storage. One process of those that run turns and hear each other looks in each round, the others now and then, so that they help with what takes longer. */
@Injectable()
export class ObjectRemovals {
  readonly #log = new Logger(ObjectRemovals.name);
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #stopped = false;
  /** Whether the last round has left something: then this process looks again in the next one, also when it does not lead. */
  #isMore = false;

  constructor(
    private readonly unused: UnusedObjects,
    private readonly telemetry: Telemetry,
    private readonly live: LiveBus,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'BLOB_REMOVAL_INTERVAL_MS'>,
  ) {}

  start(): void {
    if (!this.unused.isOn) return;
    const oneOfMany = new OneOfMany(this.live);
    const run = (): void => {
      if (!oneOfMany.takes() && !this.#isMore) return;
      this.#running ??= this.#run()
        .catch((error: unknown) => this.#log.warn(`objects of files were not removed; retrying: ${String(error)}`))
        .finally(() => (this.#running = null));
    };
    this.#timer = setInterval(run, this.settings.BLOB_REMOVAL_INTERVAL_MS);
    run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { failures, due, oldestSeconds } = await this.unused.remove(() => this.#stopped);
    this.#isMore = due > 0;
    if (failures.length > 0) this.#log.warn(`${failures.length} objects of files could not be removed; retrying: ${String(failures[0])}`);
    this.telemetry.gauge('blob_removals_due', due);
    this.telemetry.gauge('blob_removals_oldest_seconds', oldestSeconds);
  }
}
