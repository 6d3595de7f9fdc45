import { type DatabaseNode, DatabaseNodes } from '../../../ports/nodes.js';
import { classifyError } from '../connection/classify-error.js';
import type { Database } from '../store/prisma.js';

/** A node that does not answer within this time is away. */
export const NODE_WAIT_MS = 500;

/** What was read is used for this long: probes, scrapes and work in the background ask once. */
const FRESH_MS = 2_000;

interface Row {
  readonly name: string;
  readonly isUp: boolean;
  readonly shards: number;
  readonly tenants: number | null;
  readonly bytes: number | null;
}

/** The nodes of one distributed database, for all of this process. Nothing asks them by itself: readers do. */
export class PostgresNodes extends DatabaseNodes {
  readonly #known = new Map<string, DatabaseNode>();
  #pending: Promise<readonly DatabaseNode[]> | null = null;
  #last: { readonly at: number; readonly nodes: readonly DatabaseNode[] } | null = null;

  /** `report` says when a node is found away, and when it is back. */
  constructor(
    private readonly database: Database,
    private readonly report: (line: string) => void = () => undefined,
  ) {
    super();
  }

  override async read(): Promise<readonly DatabaseNode[] | null> {
    if (!this.database.isDistributed) return null;
    return this.#last && performance.now() - this.#last.at < FRESH_MS ? this.#last.nodes : this.#read();
  }

  /**
   * One attempt at work for all tenants. While a node is away, `reachable` does it for the tenants of the others: at once when that is known, otherwise when `all` has failed and a node does not answer.
   * On one Postgres it is `all`.
   */
  async within<Result>(all: () => PromiseLike<Result>, reachable: () => PromiseLike<Result>): Promise<Result> {
    if (!this.database.isDistributed) return all();
    if (this.#isSomeAway(this.#last?.nodes) && this.#isSomeAway(await this.read())) return reachable();
    try {
      return await all();
    } catch (error) {
      if (classifyError(error) === null || !this.#isSomeAway(await this.#read())) throw error;
      return reachable();
    }
  }

  #isSomeAway(nodes: readonly DatabaseNode[] | null | undefined): boolean {
    return nodes?.some(({ isUp }) => !isUp) ?? false;
  }

  #read(): Promise<readonly DatabaseNode[]> {
    return (this.#pending ??= this.#ask().finally(() => (this.#pending = null)));
  }

  async #ask(): Promise<readonly DatabaseNode[]> {
    const rows = await this.database.run(
      (client) =>
        client.$queryRaw<Row[]>`SELECT node AS name, is_up AS "isUp", shards::float8, tenants::float8, bytes::float8 FROM read_nodes(${NODE_WAIT_MS}::int)`,
    );
    const nodes = rows.map((row) => this.#note(row));
    for (const name of this.#known.keys()) if (!rows.some((row) => row.name === name)) this.#known.delete(name);
    this.#last = { at: performance.now(), nodes };
    return nodes;
  }

  #note(row: Row): DatabaseNode {
    const before = this.#known.get(row.name);
    const awaySince = row.isUp ? null : (before?.awaySince ?? new Date());
    const { tenants, bytes } = row.isUp ? row : { tenants: before?.tenants ?? null, bytes: before?.bytes ?? null };
    const node = { ...row, tenants, bytes, awaySince };
    if (!row.isUp && !before?.awaySince)
      this.report(`The node ${row.name} of the database does not answer: its tenants get 503, and work in the background of all tenants waits for it.`);
    if (row.isUp && before?.awaySince)
      this.report(`The node ${row.name} of the database answers again; it was found away at ${before.awaySince.toISOString()}.`);
    this.#known.set(row.name, node);
    return node;
  }
}
