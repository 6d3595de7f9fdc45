import pg from 'pg';
import { BoundedClient, clientOptions, type ConnectionOptions, isUnanswered } from './client-options.js';

/** Whether a backend waits until a synchronous standby has its commit; only the server knows. */
const WAITS_FOR_STANDBY = `SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'`;

interface Backend {
  readonly processID: number | null;
}

/** Leaves it to the pool what a query without an answer means. */
class AppendClient extends BoundedClient {
  protected override silent(): void {}

  /** As every other connection. */
  lost(): void {
    super.silent();
  }
}

/**
 * Connections of appends alone: while commits wait for a synchronous standby that is away, reads have theirs. The call of such a commit ends with an error in time, but its connection stays
 * with it: closed, it would leave its backend on the server for as long as the standby is away, and each try would add one, until the server took no connections at all.
 */
export class AppendPool {
  readonly #pool: pg.Pool;
  #held = 0;

  /** `reads`: where the server is asked. */
  constructor(
    options: ConnectionOptions,
    readonly size: number,
    private readonly reads: Pick<pg.Pool, 'query'>,
  ) {
    this.#pool = new pg.Pool({ ...clientOptions(options), Client: AppendClient, max: size });
    this.#pool.on('error', () => undefined);
  }

  /** Connections whose commits wait for a standby although their calls have ended. */
  get held(): number {
    return this.#held;
  }

  query = (async (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    const client = await this.#pool.connect();
    try {
      const result = await client.query(config);
      client.release();
      return result;
    } catch (error) {
      if (isUnanswered(error)) await this.#unanswered(client);
      else client.release(isFatal(error) ? (error as Error) : undefined);
      throw error;
    }
  }) as pg.Pool['query'];

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #unanswered(client: pg.PoolClient): Promise<void> {
    const { processID } = client as unknown as Backend;
    const found = await this.reads.query(WAITS_FOR_STANDBY, [processID]).catch(() => null);
    if (!found?.rowCount) {
      (client as unknown as AppendClient).lost();
      return client.release(true);
    }
    this.#held += 1;
    const release = (isLost: boolean): void => {
      client.removeAllListeners('drain');
      client.removeAllListeners('end');
      this.#held -= 1;
      client.release(isLost);
    };
    client.once('drain', () => release(false));
    client.once('end', () => release(true));
  }
}

/** An error of the statement leaves the connection as it was. */
const isFatal = (error: unknown): boolean => !(error instanceof pg.DatabaseError) || error.severity !== 'ERROR';
