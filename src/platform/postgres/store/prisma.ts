import type { PrismaClient } from '../../../generated/prisma/client.js';
import type { ConnectionOptions } from '../connection/client-options.js';
import { classifyError } from '../connection/classify-error.js';
import { AppendPool } from '../connection/append-pool.js';
import { PreparedStatements, type Statement } from '../connection/prepared-statements.js';
import { unavailable, withRetry } from '../connection/retry.js';
import { PostgresNodes } from '../nodes/postgres-nodes.js';
import { TenantConnections, type TenantReads } from './tenant-connections.js';

export interface DatabaseOptions extends ConnectionOptions {
  /** The maximum number of connections, besides those of appends; a query waits up to `timeoutMs` for a free one. */
  readonly poolSize: number;
  /** Connections of appends; absent: as many. */
  readonly appendPoolSize?: number;
}

/** Prisma's client with bounded waits: every call answers or fails within about `timeoutMs`, whatever the connection does. */
export class Database implements TenantReads {
  readonly #connections: TenantConnections;
  readonly #appends: AppendPool;
  readonly #append: PreparedStatements;
  readonly timeoutMs: number;

  readonly nodes = new PostgresNodes(this);
  readonly isDistributed: boolean;

  constructor(options: DatabaseOptions) {
    this.timeoutMs = options.timeoutMs;
    this.isDistributed = options.isDistributed ?? false;
    this.#connections = new TenantConnections(options, options.poolSize);
    this.#appends = new AppendPool(options, options.appendPoolSize ?? options.poolSize, this.#connections.pool);
    this.#append = new PreparedStatements(this.#appends);
  }

  /** Statements of appends at a time. */
  get appendsAtOnce(): number {
    return this.#appends.size;
  }

  /** Appends that have ended with an error while their commits still wait for a synchronous standby. */
  get waitingForStandby(): number {
    return this.#appends.held;
  }

  /** As `run`, on the connections of appends. `tenantId`: whose rows are written; of several tenants, none is on a distributed database. */
  append<Row extends object>(tenantId: string, statement: Statement, onAttempt: () => void = () => undefined): Promise<readonly Row[]> {
    return withRetry(this.timeoutMs, () =>
      this.#ofNode(tenantId, () => {
        onAttempt();
        return this.#append.query<Row>(statement);
      }),
    );
  }

  /**
   * Runs work for one tenant that may be repeated; see `withRetry` for when it is, and for the errors. Its statements see the rows of this tenant only, whatever their
   * conditions are. `prepared` is for statements of the hot path. A transaction sets the tenant itself: see `lockTokens`.
   */
  inTenant<Result>(tenantId: string, work: (client: PrismaClient, prepared: PreparedStatements) => PromiseLike<Result>): Promise<Result> {
    return withRetry(this.timeoutMs, () => this.#ofNode(tenantId, () => this.#connections.inTenant(tenantId, work)));
  }

  /** One attempt at work of the node of a tenant. */
  async #ofNode<Result>(tenantId: string, work: () => PromiseLike<Result>): Promise<Result> {
    if (!this.isDistributed) return work();
    await this.nodes.requireReachable(tenantId);
    try {
      return await work();
    } catch (error) {
      if (classifyError(error) !== null) this.nodes.suspect();
      throw error;
    }
  }

  /** The same without a tenant: for functions with the owner's rights, which appends and work for all tenants are. Rows of tenants are not to be seen. */
  run<Result>(work: (client: PrismaClient, prepared: PreparedStatements) => PromiseLike<Result>): Promise<Result> {
    return withRetry(this.timeoutMs, () => work(this.#connections.client, this.#connections.prepared));
  }

  /** The same for work that finds or changes rows of all tenants. While a node of a distributed database is away, `reachable` does it for the tenants of the others: see PostgresNodes. */
  ofAllTenants<Result>(
    all: (client: PrismaClient, prepared: PreparedStatements) => PromiseLike<Result>,
    reachable: (client: PrismaClient, waitMs: number) => PromiseLike<Result>,
  ): Promise<Result> {
    if (!this.isDistributed) return this.run(all);
    return this.run(() =>
      this.nodes.within(
        () => this.#connections.ofNodes(all),
        (waitMs) => this.#connections.ofNodes((client) => reachable(client, waitMs)),
      ),
    );
  }

  /** Rejects with a DomainError when the database cannot be reached; not retried. */
  async ping(): Promise<void> {
    try {
      await this.#connections.client.$queryRaw`SELECT 1`;
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Waits for running statements, which are bounded, then closes every connection. */
  async close(): Promise<void> {
    await Promise.all([this.#connections.close(), this.#appends.end()]);
  }
}
