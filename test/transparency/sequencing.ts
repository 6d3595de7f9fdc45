import type { Client } from 'pg';
import { NodeCryptography } from '../../src/platform/system/node-cryptography.js';
import { PrometheusTelemetry } from '../../src/platform/telemetry/prometheus-telemetry.js';
import { LocalFanout } from '../../src/platform/live/local-fanout.js';
import { PostgresTransparencyLog } from '../../src/features/proofs/log-store/postgres-transparency-log.js';
import { EVERY_SESSION, LiveBus, type LiveSignal } from '../../src/ports/index.js';
import { leafHashOf } from '../../packages/proofs/leaf.js';
import { rootOf } from '../../packages/proofs/tree.js';
import { CheckpointSigner } from '../../src/features/proofs/checkpoint-signer.js';
import { Sequencer } from '../../src/features/proofs/sequencer.js';
import { ONE_POSTGRES } from '../support/one-postgres.js';

export const cryptography = new NodeCryptography();

/** A live bus of one process. */
export class LocalBus extends LiveBus {
  readonly #fanout = new LocalFanout(() => undefined);

  override publish(signal: LiveSignal): void {
    this.#fanout.deliver(signal);
  }
  override notify(): void {}
  override subscribe(channel: string, listener: (signal: LiveSignal) => void): () => void {
    return this.#fanout.subscribe(channel, listener);
  }
  override rank = 0;

  override onNotify(): () => void {
    return () => undefined;
  }
  override async ping(): Promise<void> {}

  /** As after any append. */
  announce(): void {
    this.#fanout.deliver({ kind: 'advanced', sessionId: EVERY_SESSION, seq: 1 });
  }
}

export interface Settings {
  readonly TLOG_INTERVAL_MS?: number;
  readonly TLOG_LEASE_MS?: number;
  readonly TLOG_KEY?: string;
  readonly TLOG_ORIGIN?: string;
}

/** A process that may sequence. */
export function sequencer(url: string, settings: Settings = {}) {
  const log = new PostgresTransparencyLog({ url, timeoutMs: 60_000, applicationName: 'verbatim test' });
  const live = new LocalBus();
  const all = { TLOG_INTERVAL_MS: 5, TLOG_LEASE_MS: 60_000, TLOG_KEY: undefined, TLOG_ORIGIN: undefined, ...settings };
  const telemetry = new PrometheusTelemetry();
  const worker = new Sequencer(log, log.leases, new CheckpointSigner(log, cryptography, all), cryptography, live, telemetry, ONE_POSTGRES, all);
  return { log, live, worker, telemetry };
}

/** The leaf hashes that the events of the database have, in the order of the feed. */
export async function expectedLeaves(owner: Client): Promise<readonly Uint8Array[]> {
  const { rows } = await owner.query<{ session_id: string; seq: string; hash: Buffer }>('SELECT session_id, seq, hash FROM event ORDER BY xact_id, position');
  return rows.map(({ session_id: sessionId, seq, hash }) => leafHashOf(cryptography.sha256, { sessionId, seq: Number(seq), hash }));
}

export const rootHex = (leaves: readonly Uint8Array[]): string => Buffer.from(rootOf(cryptography.sha256, leaves)).toString('hex');
