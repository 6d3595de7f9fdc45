/** A server of a distributed database, as this process has seen it last. */
export interface DatabaseNode {
  /** `host:port`. */
  readonly name: string;
  readonly isUp: boolean;
  /** When this process found it away; null: it is up. */
  readonly awaySince: Date | null;
  /** Of tenants: each has all rows of some. */
  readonly shards: number;
  /** When it was last up; null: not since this process was started. */
  readonly tenants: number | null;
  readonly bytes: number | null;
}

/** The servers that the rows of tenants are distributed over. */
export abstract class DatabaseNodes {
  /** Asks each of them, and waits a bounded time. Null: there is one Postgres, which is not asked. */
  abstract read(): Promise<readonly DatabaseNode[] | null>;

  /** The names of those that are away. Asks none while all were up when they were read last. */
  abstract away(): Promise<readonly string[]>;

  /** Those of these tenants whose node answers, asked now. All of them on one Postgres, which is not asked. */
  abstract reachable(tenants: readonly string[]): Promise<ReadonlySet<string>>;
}
