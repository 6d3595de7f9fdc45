import { Backlog } from '../../core/ports.js';
import type { Database } from './prisma.js';

interface Row {
  readonly jobs: number;
  readonly oldest: number;
  readonly prompts: number;
}

/** Reads two small sets of rows: the outbox and the running sessions. */
export class PostgresBacklog extends Backlog {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async read(): ReturnType<Backlog['read']> {
    const [row] = await this.#database.run(
      (client) => client.$queryRaw<[Row]>`SELECT
        (SELECT count(*) FROM outbox WHERE NOT leased)::int AS jobs,
        (SELECT coalesce(greatest(extract(epoch FROM clock_timestamp() - min(not_before)), 0), 0) FROM outbox WHERE NOT leased)::float8 AS oldest,
        (SELECT coalesce(sum(queue_length), 0) FROM session WHERE status = 'running')::int AS prompts`,
    );
    return { jobs: row.jobs, oldestJobSeconds: row.oldest, prompts: row.prompts };
  }
}
