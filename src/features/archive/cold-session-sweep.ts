import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { OneOfMany } from '../../engine/dispatch/one-of-many.js';
import { ColdSessions, LiveBus, Telemetry } from '../../ports/index.js';

/** Archives the logs of cold sessions. One process of those that run turns and hear each other looks in each round; two that do it at the same time do no harm. */
@Injectable()
export class ColdSessionSweep {
  readonly #log = new Logger(ColdSessionSweep.name);
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(
    private readonly cold: ColdSessions,
    private readonly telemetry: Telemetry,
    private readonly live: LiveBus,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ARCHIVE_INTERVAL_MS'>,
  ) {}

  start(): void {
    if (!this.cold.isOn) return;
    const oneOfMany = new OneOfMany(this.live);
    const run = (): void => {
      if (!oneOfMany.takes()) return;
      this.#running ??= this.#run()
        .catch((error: unknown) => this.#log.warn(`cold sessions were not archived; retrying: ${String(error)}`))
        .finally(() => (this.#running = null));
    };
    this.#timer = setInterval(run, this.settings.ARCHIVE_INTERVAL_MS);
    run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { archived, failures, oldestSeconds } = await this.cold.archive(() => this.#stopped);
    if (archived > 0) this.#log.log(`the logs of ${archived} cold sessions were archived`);
    if (failures.length > 0) this.#log.warn(`the logs of ${failures.length} cold sessions could not be archived; retrying: ${String(failures[0])}`);
    const { logs, bytes } = await this.cold.size();
    this.telemetry.gauge('archived_logs', logs);
    this.telemetry.gauge('archived_bytes', bytes);
    this.telemetry.gauge('archive_oldest_due_seconds', oldestSeconds);
  }
}
