import { DomainError } from '../../../../packages/protocol/errors.js';
import type { Settings } from '../../config/env.js';
import type { PrimaryPosition } from '../connection/tenant-query.js';
import type { Database } from '../store/prisma.js';
import type { TenantReads, TenantWork } from '../store/tenant-connections.js';
import { POSITION, PrimaryPositions } from './primary-positions.js';
import { Standby, type StandbyOptions } from './standby.js';
import { StandbyFailure, type StandbyFault } from './standby-failure.js';

/** Who has answered a read: a standby, or the primary, for that reason. `paused`: no standby is tried at present. */
export type ReadOutcome = 'standby' | 'paused' | StandbyFault;

export interface ReplicaOptions extends Omit<StandbyOptions, 'url'> {
  /** One for each address. */
  readonly urls: readonly string[];
}

type ReadSettings = Pick<Settings, 'DATABASE_READ_POOL_SIZE' | 'DATABASE_READ_WAIT_MS' | 'DATABASE_READ_SILENCE_MS' | 'DATABASE_TIMEOUT_MS'>;

/** Null without standbys. `poolSize`: that of the settings unless given. */
export function openReplica(
  primary: Database,
  urls: readonly string[],
  settings: ReadSettings,
  { poolSize = settings.DATABASE_READ_POOL_SIZE, ...rest }: Pick<StandbyOptions, 'applicationName' | 'report'> & { readonly poolSize?: number },
): ReplicaReads | null {
  const { DATABASE_READ_WAIT_MS: waitMs, DATABASE_READ_SILENCE_MS: silenceMs, DATABASE_TIMEOUT_MS: timeoutMs } = settings;
  return urls.length === 0 ? null : new ReplicaReads(primary, { urls, poolSize, waitMs, silenceMs, timeoutMs, ...rest });
}

/**
 * Reads on standbys which never show less than was committed on the primary when they began: the primary is asked how far it has committed, and the standby proves in the transaction of
 * each statement that it has replayed that. What a standby does not answer, for whatever reason, the primary does.
 */
export class ReplicaReads implements TenantReads {
  readonly #standbys: readonly Standby[];
  readonly #positions: PrimaryPositions;
  readonly #listeners: ((outcome: ReadOutcome) => void)[] = [];
  #turn = 0;

  constructor(
    private readonly primary: Database,
    { urls, ...options }: ReplicaOptions,
  ) {
    this.#standbys = urls.map((url) => new Standby({ ...options, url }));
    this.#positions = new PrimaryPositions(() => this.#position());
  }

  /** Called for each read. */
  onRead(listener: (outcome: ReadOutcome) => void): void {
    this.#listeners.push(listener);
  }

  async inTenant<Result>(tenantId: string, work: TenantWork<Result>): Promise<Result> {
    const standby = this.#next();
    if (!standby) return this.#onPrimary('paused', tenantId, work);
    let position: PrimaryPosition;
    try {
      position = await this.#positions.now();
    } catch (error) {
      if (error instanceof DomainError) throw error; // the primary is not available
      return this.#onPrimary('failed', tenantId, work);
    }
    try {
      const result = await standby.read(tenantId, position, work);
      this.#answered('standby');
      return result;
    } catch (error) {
      if (!(error instanceof StandbyFailure)) throw error;
      return this.#onPrimary(error.fault, tenantId, work);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }

  /** The standbys take turns. */
  #next(): Standby | null {
    const count = this.#standbys.length;
    this.#turn = (this.#turn + 1) % count;
    for (let index = 0; index < count; index += 1) {
      const standby = this.#standbys[(this.#turn + index) % count]!;
      if (standby.take()) return standby;
    }
    return null;
  }

  #onPrimary<Result>(outcome: ReadOutcome, tenantId: string, work: TenantWork<Result>): Promise<Result> {
    this.#answered(outcome);
    return this.primary.inTenant(tenantId, work);
  }

  async #position(): Promise<PrimaryPosition> {
    const [position] = await this.primary.run((_, prepared) => prepared.query<PrimaryPosition>({ text: POSITION, values: [] }));
    return position!;
  }

  #answered(outcome: ReadOutcome): void {
    for (const listener of this.#listeners) listener(outcome);
  }
}
