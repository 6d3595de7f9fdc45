import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/env.js';
import { AnchorFile, Clock, type SignedCheckpoint, TaskLeases, Telemetry, TransparencyLog, Webhooks } from '../../core/ports.js';
import { LogAudit } from '../../queries/log-audit.js';
import { TransparencyQueries } from '../../queries/transparency-queries.js';

/** Puts checkpoints where the owner of the database cannot change them: into a file elsewhere, and to receivers of webhooks. One process, under a lease. */
@Injectable()
export class Anchoring {
  readonly #log = new Logger(Anchoring.name);
  readonly #holder = randomUUID();
  /** The size of the newest checkpoint that each target has taken from this process. */
  readonly #taken = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(
    private readonly transparencyLog: TransparencyLog,
    private readonly leases: TaskLeases,
    private readonly audit: LogAudit,
    private readonly queries: TransparencyQueries,
    private readonly file: AnchorFile,
    private readonly webhooks: Webhooks,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ANCHOR_URLS' | 'ANCHOR_INTERVAL_MS' | 'TLOG_LEASE_MS'>,
  ) {}

  /** Does nothing without a target. */
  start(): void {
    if (!this.file.isSet && this.settings.ANCHOR_URLS.length === 0) return;
    this.#timer = setInterval(() => {
      this.#running ??= this.anchor()
        .catch((error: unknown) => this.#log.warn(`a checkpoint could not be anchored; retrying: ${String(error)}`))
        .finally(() => (this.#running = null));
    }, this.settings.ANCHOR_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
    if (this.#timer) await this.leases.end('anchor', this.#holder).catch(() => undefined); // otherwise it ends by itself
  }

  async anchor(): Promise<void> {
    const leaseMs = Math.max(this.settings.TLOG_LEASE_MS, 2 * this.settings.ANCHOR_INTERVAL_MS);
    if ((await this.leases.take('anchor', this.#holder, leaseMs)) === null) return;
    // A log that does not continue what was anchored must not be anchored: the file would vouch for it from then on.
    const { problem, anchored } = await this.audit.heads();
    if (problem !== null) {
      this.telemetry.count('anchors', { outcome: 'refused' });
      this.#log.error(`no checkpoint is anchored: ${problem}`);
      return;
    }
    const head = await this.transparencyLog.head();
    if (!head || head.size === 0) return;
    if (this.file.isSet && (anchored?.size ?? 0) < head.size) {
      await this.#take('file', head, () => this.file.append(head.note, this.clock.timestamp()));
    }
    await Promise.all(
      this.settings.ANCHOR_URLS.map(async (url) => {
        const from = this.#taken.get(url) ?? 0;
        if (from >= head.size) return;
        const consistency = from === 0 ? null : await this.queries.consistency(from, head.size);
        await this.#take(url, head, () => this.webhooks.post(url, { kind: 'checkpoint', checkpoint: head.note, key: head.verifier, consistency }));
      }),
    );
  }

  /** A target that fails does not keep a checkpoint from the others. */
  async #take(target: string, { size }: SignedCheckpoint, push: () => Promise<void>): Promise<void> {
    try {
      await push();
      this.#taken.set(target, size);
      await this.transparencyLog.recordAnchor(target, size);
      this.telemetry.count('anchors', { outcome: 'taken' });
    } catch (error) {
      this.telemetry.count('anchors', { outcome: 'failed' });
      this.#log.warn(`${target === 'file' ? 'ANCHOR_FILE' : new URL(target).origin} did not take the checkpoint of ${size} leaves; retrying: ${String(error)}`);
    }
  }
}
