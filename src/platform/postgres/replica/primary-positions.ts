import type { PrimaryPosition } from '../connection/tenant-query.js';

/**
 * Asks the primary how far it has committed. Answers are shared, but never with a caller that came after the question was sent: each gets a position that includes everything that was
 * committed when it asked.
 */
export class PrimaryPositions {
  #running: Promise<PrimaryPosition> | null = null;
  #next: Promise<PrimaryPosition> | null = null;

  constructor(private readonly ask: () => Promise<PrimaryPosition>) {}

  /** Of the callers that come while a question is open, all share the next one. */
  now(): Promise<PrimaryPosition> {
    if (!this.#running) return this.#begin();
    const begin = (): Promise<PrimaryPosition> => {
      this.#next = null;
      return this.#begin();
    };
    return (this.#next ??= this.#running.then(begin, begin));
  }

  #begin(): Promise<PrimaryPosition> {
    const answer = this.ask();
    this.#running = answer;
    const end = (): void => {
      if (this.#running === answer) this.#running = null;
    };
    answer.then(end, end);
    return answer;
  }
}

/**
 * What is committed is on the disk of the primary, unless its sessions do not wait for that: then what is only written counts as well. Reads memory and the control file, no table.
 */
export const POSITION = `SELECT database_identity() AS identity, ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int AS timeline,
  CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END::text AS lsn`;

/** A place in the log of the server as a number, from the notation of Postgres. */
export function lsnOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
