import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../../generated/prisma/client.js';
import { clientOptions, type ConnectionOptions } from '../connection/client-options.js';
import { PreparedStatements } from '../connection/prepared-statements.js';
import { TenantPool } from '../connection/tenant-pool.js';
import type { PrimaryPosition } from '../connection/tenant-query.js';

/** Work on the rows of one tenant, which may be repeated. `prepared` is for statements of the hot path. */
export type TenantWork<Result> = (client: PrismaClient, prepared: PreparedStatements) => PromiseLike<Result>;

/** Where rows of a tenant are read: the primary, or a standby that has all that the primary had committed when the read began. */
export abstract class TenantReads {
  /** The statements of `work` see the rows of this tenant only. On a standby it may run a second time, on the primary. */
  abstract inTenant<Result>(tenantId: string, work: TenantWork<Result>): Promise<Result>;
}

/** Connections to one server, with Prisma's client over them. Nothing is repeated. */
export class TenantConnections {
  readonly pool: TenantPool;
  readonly client: PrismaClient;
  readonly prepared: PreparedStatements;
  readonly #timeoutMs: number;

  /** `size`: the maximum number of connections; a query waits up to `timeoutMs` for a free one. */
  constructor(options: ConnectionOptions, size: number) {
    this.#timeoutMs = options.timeoutMs;
    this.pool = new TenantPool({ ...clientOptions(options), max: size });
    this.pool.on('error', () => undefined); // of an idle client, which the pool replaces
    // Transactions of one tenant wait for each other: no shorter limits than those of a statement.
    const transactionOptions = { maxWait: options.timeoutMs, timeout: options.timeoutMs };
    this.client = new PrismaClient({ adapter: new PrismaPg(this.pool, { disposeExternalPool: true }), transactionOptions });
    this.prepared = new PreparedStatements(this.pool);
  }

  /** `replayed`: each statement fails unless its server is a standby that has replayed the primary up to there. */
  inTenant<Result>(tenantId: string, work: TenantWork<Result>, replayed?: PrimaryPosition): Promise<Result> {
    return this.pool.inTenant(tenantId, () => work(this.client, this.prepared), replayed);
  }

  /**
   * For work of all tenants on a distributed database. When a node becomes silent in the middle of it, the session of the coordinator waits for that node and ends no session of another one: those end by themselves, with
   * their locks, when nothing was sent to them for as long as a statement may take.
   */
  ofNodes<Result>(work: TenantWork<Result>): Promise<Result> {
    return this.pool.ofNodes({ idle_in_transaction_session_timeout: String(this.#timeoutMs) }, () => work(this.client, this.prepared));
  }

  /** Waits for running statements, which are bounded, then closes every connection. */
  async close(): Promise<void> {
    await this.client.$disconnect();
    if (!this.pool.ending) await this.pool.end(); // Prisma's client ends the pool only when it was used
  }
}
