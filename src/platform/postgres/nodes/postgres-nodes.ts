import type { PrismaClient } from '../../../generated/prisma/client.js';
import { type DatabaseNode, DatabaseNodes } from '../../../ports/nodes.js';
import { classifyError } from '../connection/classify-error.js';
import { unavailable } from '../connection/retry.js';

/** A node that does not answer within this time is away. */
export const NODE_WAIT_MS = 500;

/** What was read is used for this long: probes, scrapes and work in the background ask once. */
const FRESH_MS = 2_000;

/** Older, it is read again before a statement is refused or sent because of it. */
const TRUSTED_MS = 10_000;

/** For so long after a node was found away its statements are sent as before: a restart takes less. */
const GRACE_MS = 3_000;

interface Row {
  readonly name: string;
  readonly isUp: boolean;
  readonly shards: number;
  readonly tenants: number | null;
  readonly bytes: number | null;
}

/** The database whose nodes they are. */
interface Coordinator {
  readonly isDistributed: boolean;
  run<Result>(work: (client: PrismaClient) => PromiseLike<Result>): Promise<Result>;
}

/** The nodes of one distributed database, for all of this process. Nothing asks them by itself: readers do. */
export class PostgresNodes extends DatabaseNodes {
  readonly #known = new Map<string, DatabaseNode>();
  #pending: Promise<readonly DatabaseNode[]> | null = null;
  #last: { readonly at: number; readonly nodes: readonly DatabaseNode[] } | null = null;

  /** By tenant, since it is known which nodes are away. */
  readonly #nodeOf = new Map<string, string | null>();
  #report: (line: string) => void = () => undefined;

  constructor(private readonly database: Coordinator) {
    super();
  }

  /** `report` says when a node is found away, and when it is back. */
  onChange(report: (line: string) => void): void {
    this.#report = report;
  }

  override async read(): Promise<readonly DatabaseNode[] | null> {
    if (!this.database.isDistributed) return null;
    return this.#last && performance.now() - this.#last.at < FRESH_MS ? this.#last.nodes : this.#read();
  }

  override async away(): Promise<readonly string[]> {
    if (!this.#isSomeAway(this.#last?.nodes)) return [];
    return ((await this.read()) ?? []).filter(({ isUp }) => !isUp).map(({ name }) => name);
  }

  /**
   * One attempt at work for all tenants. While a node is away, `reachable` does it for the tenants of the others: at once when that is known, otherwise when `all` has failed and a node does not answer. It waits
   * `waitMs` for a node. On one Postgres it is `all`.
   */
  async within<Result>(all: () => PromiseLike<Result>, reachable: (waitMs: number) => PromiseLike<Result>): Promise<Result> {
    if (!this.database.isDistributed) return all();
    if (this.#isSomeAway(this.#last?.nodes) && this.#isSomeAway(await this.read())) return reachable(NODE_WAIT_MS);
    try {
      return await all();
    } catch (error) {
      if (classifyError(error) === null || !this.#isSomeAway(await this.#read())) throw error;
      return reachable(NODE_WAIT_MS);
    }
  }

  /**
   * Rejects when the node of the tenant is away: a statement would keep a connection until its time is over, and on a node that is silent the coordinator's session for longer, so that soon none would be left for
   * the tenants of the others. Asks nothing while all nodes were up when they were read last.
   */
  async requireReachable(tenantId: string): Promise<void> {
    if (!this.#isSomeAway(this.#last?.nodes)) return;
    const age = performance.now() - this.#last!.at;
    if (age > TRUSTED_MS) await this.#read();
    else if (age > FRESH_MS) this.suspect();
    const gone = this.#last!.nodes.filter(({ awaySince }) => awaySince !== null && Date.now() - awaySince.getTime() > GRACE_MS);
    if (gone.length === 0) return;
    const node = await this.#placeOf(tenantId);
    if (gone.some(({ name }) => name === node)) throw unavailable(new Error(`the node ${node} of the database is away`));
  }

  /** Reads the nodes soon: something of a tenant has failed. */
  suspect(): void {
    this.read().catch(() => undefined); // the coordinator is away as well
  }

  async #placeOf(tenantId: string): Promise<string | null> {
    const known = this.#nodeOf.get(tenantId);
    if (known !== undefined) return known;
    const [row] = await this.database.run((client) => client.$queryRaw<{ node: string | null }[]>`SELECT node_of(${tenantId}::uuid) AS node`);
    const node = row?.node ?? null;
    this.#nodeOf.set(tenantId, node);
    return node;
  }

  /** Those of these tenants that `within` can do work for: statements of another one would wait for its node. */
  override async reachable(tenants: readonly string[]): Promise<ReadonlySet<string>> {
    if (!this.database.isDistributed) return new Set(tenants);
    const rows = await this.database.run(
      (client) => client.$queryRaw<{ id: string }[]>`SELECT id FROM reachable_tenants(${NODE_WAIT_MS}::int, ${tenants}::uuid[]) AS id`,
    );
    return new Set(rows.map(({ id }) => id));
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
    // A tenant moves between nodes that are up.
    if (awayOf(nodes) !== awayOf(this.#last?.nodes ?? [])) this.#nodeOf.clear();
    this.#last = { at: performance.now(), nodes };
    return nodes;
  }

  #note(row: Row): DatabaseNode {
    const before = this.#known.get(row.name);
    const awaySince = row.isUp ? null : (before?.awaySince ?? new Date());
    const { tenants, bytes } = row.isUp ? row : { tenants: before?.tenants ?? null, bytes: before?.bytes ?? null };
    const node = { ...row, tenants, bytes, awaySince };
    if (!row.isUp && !before?.awaySince)
      this.#report(
        `The node ${row.name} of the database does not answer: its tenants get 503, and their work in the background waits, as the transparency log does.`,
      );
    if (row.isUp && before?.awaySince)
      this.#report(`The node ${row.name} of the database answers again; it was found away at ${before.awaySince.toISOString()}.`);
    this.#known.set(row.name, node);
    return node;
  }
}

const awayOf = (nodes: readonly DatabaseNode[]): string =>
  nodes
    .filter(({ isUp }) => !isUp)
    .map(({ name }) => name)
    .join(' ');
