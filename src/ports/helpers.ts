/** A helper for which something is left to be done. */
export interface OpenHelper {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly parentId: string;
  /** Its turn for the call is not over. */
  readonly runs: boolean;
}

/** Sessions that carry out calls of other sessions, as the appends of their logs have recorded them. */
export abstract class Helpers {
  /** Of all tenants: helpers whose parent's turn is over, and those that have ended while their parent waits; those that have ended first. At most `limit`, `after`: the last one of the page before. */
  abstract open(limit: number, after: OpenHelper | null): Promise<readonly OpenHelper[]>;
  /** Nothing is left to be done for the helper. Without effect while its turn runs. */
  abstract end(tenantId: string, sessionId: string): Promise<void>;
  /** Ids of the helpers of a session, not of their helpers, in the order of the ids. */
  abstract of(tenantId: string, parentId: string): Promise<readonly string[]>;
}
