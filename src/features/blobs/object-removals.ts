import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Telemetry, UnusedObjects } from '../../ports/index.js';

/** Removes, in every process that runs turns, what no file names any more from the object storage. */
@Injectable()
export class ObjectRemovals {
  readonly #log = new Logger(ObjectRemovals.name);
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(
    private readonly unused: UnusedObjects,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'BLOB_REMOVAL_INTERVAL_MS'>,
  ) {}

  start(): void {
    if (!this.unused.isOn) return;
    const run = (): void => {
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
    if (failures.length > 0) this.#log.warn(`${failures.length} objects of files could not be removed; retrying: ${String(failures[0])}`);
    this.telemetry.gauge('blob_removals_due', due);
    this.telemetry.gauge('blob_removals_oldest_seconds', oldestSeconds);
  }
}
