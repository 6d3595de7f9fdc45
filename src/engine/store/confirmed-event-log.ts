import { DomainError } from '../../../packages/protocol/errors.js';
import { type Audit, type Encryption, EventLog, type LogSize, type VerifiedPlace } from '../../ports/index.js';
import type { TenantReads } from '../../platform/postgres/store/tenant-connections.js';
import { PostgresEventLog } from './postgres-event-log.js';

/** Where reads find logs: with standbys there, otherwise where they are written. What a standby finds wrong is not reported: the primary is asked. */
export function logOn(standbys: TenantReads | null, primary: EventLog, encryption: Encryption): EventLog {
  return standbys === null ? primary : new ConfirmedEventLog(new PostgresEventLog(standbys, encryption), primary);
}

/**
 * Logs read on standbys. A standby may show a commit a moment before the primary does, when that waits for its synchronous standby, and its disk may have damage of its own. So what is wrong with a
 * log is asked of the primary before it counts, and a log is verified only up to an event that the primary has, too: its hash covers all before it.
 */
export class ConfirmedEventLog extends EventLog {
  constructor(
    private readonly standbys: EventLog,
    private readonly primary: EventLog,
  ) {
    super();
  }

  override load(tenantId: string, sessionId: string, after?: number, upTo?: number) {
    return this.#confirmed((log) => log.load(tenantId, sessionId, after, upTo));
  }

  override follow(tenantId: string, sessionId: string, after: VerifiedPlace | null, upTo: number) {
    return this.#confirmed((log) => log.follow(tenantId, sessionId, after, upTo));
  }

  override page(tenantId: string, sessionId: string, after: number, limit: number) {
    return this.#confirmed((log) => log.page(tenantId, sessionId, after, limit));
  }

  override stored(tenantId: string, sessionId: string, after: number, limit: number) {
    return this.#confirmed((log) => log.stored(tenantId, sessionId, after, limit));
  }

  override exceeds(tenantId: string, sessionId: string, most: LogSize): Promise<boolean> {
    return this.#confirmed((log) => log.exceeds(tenantId, sessionId, most));
  }

  override within(tenantId: string, sessionId: string, after: number, most: LogSize): Promise<number> {
    return this.#confirmed((log) => log.within(tenantId, sessionId, after, most));
  }

  override hashAt(tenantId: string, sessionId: string, seq: number): Promise<string | null> {
    return this.#confirmed((log) => log.hashAt(tenantId, sessionId, seq));
  }

  override async verify(tenantId: string, sessionId: string): Promise<Audit | null> {
    const audit = await this.#confirmed((log) => log.verify(tenantId, sessionId)); // of the primary, when it is archived
    const isConfirmed = audit?.valid === true && (await this.primary.hashAt(tenantId, sessionId, audit.events)) === audit.headHash;
    return audit === null || isConfirmed ? audit : this.primary.verify(tenantId, sessionId);
  }

  async #confirmed<Result>(read: (log: EventLog) => Promise<Result>): Promise<Result> {
    try {
      return await read(this.standbys);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'unavailable') throw error;
      return read(this.primary);
    }
  }
}
