import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { hasTenant, type PrimaryPosition } from './tenant-query.js';

/**
 * A pool for a client that passes no options with its statements, such as Prisma's: they are for the tenant of the asynchronous context in which the client calls `query`.
 * The pool notes it there, because a statement that waits for a connection is sent in the context of whatever has released one.
 *
 * Prisma joins calls of `findUnique` that are made at the same time into one statement, in the context of the first: use `findFirst`.
 */
export class TenantPool extends pg.Pool {
  readonly #tenant = new AsyncLocalStorage<{ readonly tenant: string; readonly replayed?: PrimaryPosition }>();

  /**
   * Statements in `work` are for this tenant. A promise of Prisma's begins when it is awaited: that is done here. `replayed`: each of them fails unless its server is a standby that has
   * replayed the primary up to there.
   */
  inTenant<Result>(tenant: string, work: () => PromiseLike<Result>, replayed?: PrimaryPosition): Promise<Result> {
    return this.#tenant.run({ tenant, ...(replayed && { replayed }) }, () => new Promise<Result>((resolve, reject) => void work().then(resolve, reject)));
  }

  override query = ((config: unknown, ...rest: readonly unknown[]) => {
    const tenant = this.#tenant.getStore();
    const given = tenant === undefined || hasTenant(config) ? config : { ...(typeof config === 'string' ? { text: config } : (config as object)), ...tenant };
    return (super.query as (...all: readonly unknown[]) => unknown)(given, ...rest);
  }) as pg.Pool['query'];
}
