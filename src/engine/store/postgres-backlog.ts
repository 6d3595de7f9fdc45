import { Backlog } from '../../ports/index.js';
import { NODE_WAIT_MS, PostgresNodes } from '../../platform/postgres/nodes/postgres-nodes.js';
import type { Database } from '../../platform/postgres/store/prisma.js';

interface Row {
  readonly jobs: number;
  readonly oldest: number;
  readonly prompts: number;
}

export class PostgresBacklog extends Backlog {
  readonly #database: Database;

  readonly #nodes: PostgresNodes;

  constructor(database: Database, nodes = new PostgresNodes(database)) {
    super();
    this.#database = database;
    this.#nodes = nodes;
  }

  override async read(): ReturnType<Backlog['read']> {
    const [row] = await this.#database.run((client) =>
      this.#nodes.within(
        () => client.$queryRaw<[Row]>`SELECT jobs, oldest, prompts FROM read_backlog()`,
        () => client.$queryRaw<[Row]>`SELECT jobs, oldest, prompts FROM read_reachable_backlog(${NODE_WAIT_MS}::int)`,
      ),
    );
    return { jobs: row.jobs, oldestJobSeconds: row.oldest, prompts: row.prompts };
  }
}
