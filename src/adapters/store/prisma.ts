import { setTimeout as pause } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { DomainError } from '../../core/errors.js';
import { PrismaClient } from '../../generated/prisma/client.js';
import { classifyError } from './classify-error.js';

export interface DatabaseOptions {
  /** The login of the role `verbatim_app`. */
  readonly url: string;
  /** Connections at most; whoever finds none free waits. */
  readonly poolSize: number;
  /** Milliseconds that one statement, the wait for a connection, and an outage may each last before the caller is told. */
  readonly timeoutMs: number;
  /** How the server's own views name this process. */
  readonly applicationName: string;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** The database as the adapters use it: Prisma's client, and what to do when the connection breaks. */
export class Database {
  readonly #client: PrismaClient;
  readonly #timeoutMs: number;

  constructor(options: DatabaseOptions) {
    this.#timeoutMs = options.timeoutMs;
    this.#client = new PrismaClient({
      adapter: new PrismaPg({
        connectionString: options.url,
        application_name: options.applicationName,
        max: options.poolSize,
        keepAlive: true,
        connectionTimeoutMillis: options.timeoutMs,
        statement_timeout: options.timeoutMs,
        lock_timeout: Math.ceil(options.timeoutMs / 2), // so that a wait for a lock is told apart from a slow statement
        idle_in_transaction_session_timeout: options.timeoutMs,
        // Whatever we read in order, an index has in that order. The planner cannot see that a session's events lie close together, so it would rather
        // collect and sort them, which for a long session means a sort on disk.
        options: '-c enable_sort=off',
      }),
    });
  }

  /**
   * Runs work that may be repeated: when the connection is lost, whether the work was done or not, it is done again on another one.
   * Throws a DomainError `unavailable` when the database stays away, has no connection to spare, or takes too long.
   */
  async run<Result>(work: (client: PrismaClient) => PromiseLike<Result>): Promise<Result> {
    const deadline = Date.now() + this.#timeoutMs;
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work(this.#client);
      } catch (error) {
        const trouble = classifyError(error);
        if (trouble === null) throw error;
        if (trouble === 'slow' || Date.now() + wait > deadline) throw unavailable(error);
        await pause(wait);
      }
    }
  }

  /** Rejects with a DomainError when the database cannot be reached right now. */
  async ping(): Promise<void> {
    try {
      await this.#client.$queryRaw`SELECT 1`;
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Waits for running statements, then closes every connection. */
  async close(): Promise<void> {
    await this.#client.$disconnect();
  }
}

function unavailable(cause: unknown): DomainError {
  const refusal = new DomainError('unavailable', 'The database does not answer in time; try again in a moment.');
  refusal.cause = cause; // for the log, never for the client
  return refusal;
}
