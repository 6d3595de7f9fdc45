import { type Job, Outbox } from '../../core/ports.js';
import type { Database } from './prisma.js';

/** Each is one call of a function in the database; documented in prisma/functions. */
export class PostgresOutbox extends Outbox {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override lease(limit: number, perTenant: number, leaseMs: number): Promise<readonly Job[]> {
    return this.#database.run(
      (client) => client.$queryRaw<Job[]>`SELECT queue, id, payload FROM lease_jobs(${limit}::int, ${perTenant}::int, ${leaseMs}::float8)`,
    );
  }

  override async finish(ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return false;
    const [row] = await this.#database.run((client) => client.$queryRaw<[{ waits: boolean }]>`SELECT complete_jobs(${[...ids]}::text[]) AS waits`);
    return row.waits;
  }

  override async redeliver(): Promise<void> {
    await this.#database.run((client) => client.$queryRaw`SELECT redeliver_jobs()::text`);
  }

  override async requeueOrphaned(before: number, limit: number): Promise<number> {
    const [row] = await this.#database.run(
      (client) => client.$queryRaw<[{ requeued: number }]>`SELECT requeue_orphaned_turns(${new Date(before)}::timestamptz, ${limit}::int) AS requeued`,
    );
    return row.requeued;
  }
}
