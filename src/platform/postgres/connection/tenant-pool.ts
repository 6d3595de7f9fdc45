import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { hasTenant, type NodesConfig, type PrimaryPosition, type TenantConfig } from './tenant-query.js';

/**
 * A pool for a client that passes no options with its statements, such as Prisma's: they are for the tenant, or the nodes, of the asynchronous context in which the client calls `query`.
 * The pool notes it there, because a statement that waits for a connection is sent in the context of whatever has released one.
 *
 * Prisma joins calls of `findUnique` that are made at the same time into one statement, in the context of the first: use `findFirst`.
 */
export class TenantPool extends pg.Pool {
  readonly #options = new AsyncLocalStorage<Omit<TenantConfig, 'text'> | Omit<NodesConfig, 'text'>>();

  /**
   * Statements in `work` are for this tenant. A promise of Prisma's begins when it is awaited: that is done here. `replayed`: each of them fails unless its server is a standby that has
   * replayed the primary up to there.
   */
  inTenant<Result>(tenant: string, work: () => PromiseLike<Result>, replayed?: PrimaryPosition): Promise<Result> {
    return this.#with({ tenant, ...(replayed && { replayed }) }, work);
  }

  /** Statements in `work` may write on several nodes of a distributed database, whose sessions have these settings meanwhile. */
  ofNodes<Result>(settings: Readonly<Record<string, string>>, work: () => PromiseLike<Result>): Promise<Result> {
    return this.#with({ ofNodes: settings }, work);
  }

  override query = ((config: unknown, ...rest: readonly unknown[]) => {
    const options = this.#options.getStore();
    const given = options === undefined || hasTenant(config) ? config : { ...(typeof config === 'string' ? { text: config } : (config as object)), ...options };
    return (super.query as (...all: readonly unknown[]) => unknown)(given, ...rest);
  }) as pg.Pool['query'];

  #with<Result>(options: Omit<TenantConfig, 'text'> | Omit<NodesConfig, 'text'>, work: () => PromiseLike<Result>): Promise<Result> {
    return this.#options.run(options, () => new Promise<Result>((resolve, reject) => void work().then(resolve, reject)));
  }
}
