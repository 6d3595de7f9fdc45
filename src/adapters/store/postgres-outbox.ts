import { Outbox, type ClaimedJob } from '../../core/ports.js';
import type { Database } from './prisma.js';
import { claim, confirm, type JobRow } from './statements.js';

/** A job is named by its claim for as long as it waits, so a late confirmation of work that was handed over still counts. */
export class PostgresOutbox extends Outbox {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async claim(limit: number, leaseMs: number): Promise<readonly ClaimedJob[]> {
    const rows = await this.#database.run((client) => client.$queryRaw<JobRow[]>(claim(limit, leaseMs)));
    return rows.toSorted((one, other) => Number(BigInt(one.claim) - BigInt(other.claim)));
  }

  override async confirm(claims: readonly string[]): Promise<void> {
    if (claims.length === 0) return;
    await this.#database.run((client) => client.$executeRaw(confirm(claims)));
  }
}
