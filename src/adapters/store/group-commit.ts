import { DomainError } from '../../core/errors.js';
import type { Append } from '../../core/ports.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from './prisma.js';
import type { ProjectionColumns } from './projection.js';
import type { EventColumns } from './row.js';
import * as statements from './statements.js';

/** An append as the database takes it. */
export interface PreparedAppend {
  readonly append: Append;
  readonly columns: EventColumns;
  readonly projection: ProjectionColumns | null;
  /** Calls that a batch cannot make; see `effects`. */
  readonly effects: readonly Prisma.Sql[];
}

export interface AppendResult {
  readonly row: statements.AppendRow;
  /** How often the append may have been executed. Above 1, a duplicate may be this same append. */
  readonly attempts: number;
}

interface Waiting {
  readonly prepared: PreparedAppend;
  readonly resolve: (result: AppendResult | Promise<AppendResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** See GROUP_COMMIT_SIZE. */
export const DEFAULT_GROUP_SIZE = 16;

/**
 * The longest time that an append waits for others, in milliseconds. Usually one in progress ends first; but it may wait for a lock, and must not delay those of other
 * sessions.
 */
const MAX_WAIT_MS = 10;

/**
 * Group commit: while an append is in progress, those that come wait, and are then made in one statement and one commit. A single one does not wait.
 * An append that fails in a batch is made again alone, so that each caller gets its own error; the command id makes that safe.
 */
export class GroupCommit {
  #waiting: Waiting[] = [];
  #running = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `size`: the largest number of appends in one commit; 1: each has its own. */
  constructor(
    private readonly database: Database,
    private readonly size: number,
  ) {}

  /** In a commit with others, if others wait. */
  append(prepared: PreparedAppend): Promise<AppendResult> {
    if (this.size === 1 || this.#running === 0) return this.#tracked(() => this.alone(prepared));
    const result = new Promise<AppendResult>((resolve, reject) => this.#waiting.push({ prepared, resolve, reject }));
    this.#timer ??= setTimeout(() => this.#flush(), MAX_WAIT_MS);
    return result;
  }

  /** In a commit of its own. `earlier`: how often it may have been executed before. */
  async alone({ append, columns, projection, effects }: PreparedAppend, earlier = 0): Promise<AppendResult> {
    const calls = [
      ...(projection ? [statements.project(append, projection)] : []),
      ...(append.usage?.length ? [statements.countUsage(append, append.usage)] : []),
      ...effects,
    ];
    const statement = statements.append(append, columns, calls);
    let attempts = earlier;
    const [row] = await this.database.run((_, prepared) => {
      attempts += 1;
      return prepared.query<statements.AppendRow>(statement);
    });
    if (!row) throw new Error('append_events returned nothing');
    return { row, attempts };
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.size);
      void this.#tracked(() => this.#together(group));
    }
  }

  async #together(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (group.length === 1) return first!.resolve(this.alone(first!.prepared));
    const statement = statements.appendBatch(group.map(({ prepared }) => prepared));
    let attempts = 0;
    try {
      const rows = await this.database.run((_, prepared) => {
        attempts += 1;
        return prepared.query<statements.BatchRow>(statement);
      });
      group.forEach(({ prepared, resolve }, index) => {
        const { outcome, ...row } = rows[index]!;
        resolve(outcome === 'busy' ? this.alone(prepared, attempts - 1) : { row: { outcome, ...row }, attempts });
      });
    } catch (error) {
      const isAway = error instanceof DomainError; // the database, for all of them
      for (const { prepared, resolve, reject } of group) {
        if (isAway) reject(error);
        else resolve(this.alone(prepared, attempts));
      }
    }
  }

  /** What waits is sent as soon as one in progress ends. */
  async #tracked<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#flush();
    }
  }
}
