import { Backlog } from '../../ports/index.js';
import type { Database } from '../../platform/postgres/store/prisma.js';

interface Row {
  readonly jobs: number;
  readonly oldest: number;
  readonly prompts: number;
}

export class PostgresBacklog extends Backlog {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async read(): ReturnType<Backlog['read']> {
    const [row] = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<[Row]>`SELECT jobs, oldest, prompts FROM read_backlog()`,
      (client, waitMs) => client.$queryRaw<[Row]>`SELECT jobs, oldest, prompts FROM read_reachable_backlog(${waitMs}::int)`,
    );
    return { jobs: row.jobs, oldestJobSeconds: row.oldest, prompts: row.prompts };
  }
}
