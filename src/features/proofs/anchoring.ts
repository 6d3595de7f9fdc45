import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS, SettingsError } from '../../platform/config/env.js';
import { AnchorFile, Clock, Cryptography, type SignedCheckpoint, TaskLeases, Telemetry, TimeStamps, TransparencyLog, Webhooks } from '../../ports/index.js';
import { toBase64 } from '../../../packages/proofs/base64.js';
import { readWitnessKey } from '../../../packages/proofs/cosignature.js';
import { LogAudit } from '../../engine/audit/log-audit.js';
import { TransparencyQueries } from '../../engine/audit/transparency-queries.js';
import { type Witness, Witnessing } from './witnessing.js';

/**
 * Puts checkpoints where the owner of the database cannot change them: into a file elsewhere, to receivers of webhooks, witnesses and a time stamp authority. One process, under a
 * lease.
 */
/** Name of the target, as it is stored. */
const TIMESTAMP = 'timestamp';

@Injectable()
export class Anchoring {
  readonly #log = new Logger(Anchoring.name);
  readonly #holder = randomUUID();
  /** The size of the newest checkpoint that each target has taken from this process. */
  readonly #taken = new Map<string, number>();
  readonly #witnesses: readonly Witness[];
  /** When the next time stamp is due, by `performance.now`. */
  #nextStamp = 0;
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
    private readonly timeStamps: TimeStamps,
    private readonly witnessing: Witnessing,
    private readonly cryptography: Cryptography,
    @Inject(SETTINGS)
    private readonly settings: Pick<Settings, 'ANCHOR_URLS' | 'ANCHOR_INTERVAL_MS' | 'TLOG_LEASE_MS' | 'TSA_URL' | 'TSA_INTERVAL_MS' | 'WITNESSES'>,
  ) {
    this.#witnesses = settings.WITNESSES.map((item) => this.#witness(item));
  }

  /** Does nothing without a target. */
  start(): void {
    const { ANCHOR_URLS, TSA_URL } = this.settings;
    if (!this.file.isSet && ANCHOR_URLS.length === 0 && this.#witnesses.length === 0 && TSA_URL === undefined) return;
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
    await Promise.all([
      this.#stamp(head),
      ...this.#witnesses.map(async (witness) => {
        const target = `witness ${witness.key.name}`;
        if ((this.#taken.get(target) ?? 0) < head.size) await this.#take(target, head, () => this.witnessing.cosign(witness, head));
      }),
      ...this.settings.ANCHOR_URLS.map(async (url) => {
        const from = this.#taken.get(url) ?? 0;
        if (from >= head.size) return;
        const consistency = from === 0 ? null : await this.queries.consistency(from, head.size);
        await this.#take(url, head, () => this.webhooks.post(url, { kind: 'checkpoint', checkpoint: head.note, key: head.verifier, consistency }));
      }),
    ]);
  }

  /** Less often than the others: authorities limit how much they are asked. */
  async #stamp(head: SignedCheckpoint): Promise<void> {
    const { TSA_URL: url, TSA_INTERVAL_MS: interval } = this.settings;
    if (url === undefined || performance.now() < this.#nextStamp || (this.#taken.get(TIMESTAMP) ?? 0) >= head.size) return;
    await this.#take(TIMESTAMP, head, async () => {
      const { token } = await this.timeStamps.stamp(url, new TextEncoder().encode(head.note));
      this.#nextStamp = performance.now() + interval;
      return toBase64(token);
    });
  }

  #witness(item: string): Witness {
    const [text = '', url = ''] = item.split(' ');
    const key = readWitnessKey(this.cryptography.sha256, text);
    if (!key)
      throw new SettingsError(
        `The settings are not usable:\n  WITNESSES: ${text} is not the public key of a witness (name+id+key, for cosignatures of version 1)`,
      );
    return { key, url };
  }

  /** What `push` resolves to is kept: a cosignature, or a time stamp. A target that fails does not keep a checkpoint from the others. */
  async #take(target: string, { size }: SignedCheckpoint, push: () => Promise<string | void>): Promise<void> {
    try {
      const receipt = (await push()) ?? null;
      this.#taken.set(target, size);
      await this.transparencyLog.recordAnchor(target, size, receipt);
      this.telemetry.count('anchors', { outcome: 'taken' });
    } catch (error) {
      this.telemetry.count('anchors', { outcome: 'failed' });
      this.#log.warn(`${URL.canParse(target) ? new URL(target).origin : target} did not take the checkpoint of ${size} leaves; retrying: ${String(error)}`);
    }
  }
}
