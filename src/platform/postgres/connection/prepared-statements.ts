import { createHash } from 'node:crypto';
import type pg from 'pg';
import { errorCode } from '../database-error.js';

/** 26000: the connection does not know the name. 42P05: another client has used the name on the same connection. */
const NAME_LOST = new Set(['26000', '42P05']);

export interface Statement {
  /** With `$1` and so on. */
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Runs statements under a name that is derived from their text, so that a connection parses and plans each of them once; only for a few texts that are used often,
 * because a connection keeps them until it ends.
 *
 * A connection pooler in transaction mode that does not follow names (PgBouncer before 1.21) runs the parts of one statement on different connections. It then fails
 * before it has any effect; it is repeated without a name, as are all later ones.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #isNamed = true;

  constructor(private readonly pool: Pick<pg.Pool, 'query'>) {}

  /** The values in the rows are those of `pg`: a bigint is a string. */
  async query<Row extends object>({ text, values }: Statement): Promise<readonly Row[]> {
    const run = async (name: string | undefined): Promise<readonly Row[]> =>
      (await this.pool.query<Row & pg.QueryResultRow>({ text, values: [...values], ...(name === undefined ? {} : { name }) })).rows;
    if (!this.#isNamed) return run(undefined);
    try {
      return await run(this.#nameOf(text));
    } catch (error) {
      if (!NAME_LOST.has(errorCode(error) ?? '')) throw error;
      this.#isNamed = false;
      return run(undefined);
    }
  }

  /** At most 63 characters, the limit of Postgres. */
  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `verbatim_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}
