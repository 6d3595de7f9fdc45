import { Lanes } from '../../platform/async/lanes.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Append } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import { unavailable } from '../../platform/postgres/connection/retry.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import type { ProjectionColumns } from './projection.js';
import type { EventColumns } from '../../platform/postgres/store/row.js';
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
  /** Not in a statement with others. */
  readonly isAlone: boolean;
  /** How often it may have been executed before. */
  readonly earlier: number;
  readonly resolve: (result: AppendResult | Promise<AppendResult>) => void;
  readonly reject: (error: unknown) => void;
  /** Called when it does not wait any more. */
  began: () => void;
}

/** See GROUP_COMMIT_SIZE. */
export const DEFAULT_GROUP_SIZE = 16;

/**
 * The longest time that an append waits for others, in milliseconds. Usually one in progress ends first; but it may wait for a lock, and must not delay those of other
 * sessions.
 */
const MAX_WAIT_MS = 10;

/**
 * Group commit: while an append is in progress, those that come wait, and are then made in one statement and one commit. A single one does not wait. No more statements are in progress than
 * there are connections; what waits beyond that waits here, in a lane for each tenant.
 * On a distributed database, those in one commit are of one tenant, and so on one node: see pending_leaves.
 * An append that fails in a batch is made again alone, so that each caller gets its own error; the command id makes that safe.
 */
export class GroupCommit {
  readonly #lanes = new Lanes<Waiting>();
  #running = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `size`: the largest number of appends in one commit; 1: each has its own. */
  constructor(
    private readonly database: Database,
    private readonly size: number,
  ) {}

  /** In a commit with others, if others wait. */
  append(prepared: PreparedAppend): Promise<AppendResult> {
    return this.#add(prepared, this.size === 1);
  }

  /** In its own commit. `earlier`: how often it may have been executed before. */
  alone(prepared: PreparedAppend, earlier = 0): Promise<AppendResult> {
    return this.#add(prepared, true, earlier);
  }

  #add(prepared: PreparedAppend, isAlone: boolean, earlier = 0): Promise<AppendResult> {
    const { tenantId } = prepared.append;
    return new Promise<AppendResult>((resolve, reject) => {
      const waiting: Waiting = { prepared, isAlone, earlier, resolve, reject, began: () => undefined };
      if (this.#running < this.database.appendsAtOnce && (isAlone || this.#running === 0)) return this.#begin([waiting]);
      this.#lanes.add(tenantId, waiting);
      this.#expire(tenantId, waiting);
      this.#timer ??= setTimeout(() => this.#flush(), MAX_WAIT_MS);
    });
  }

  /** Ends its wait with an error when it has not begun in time. */
  #expire(tenantId: string, waiting: Waiting): void {
    const timer = setTimeout(() => {
      this.#lanes.remove(tenantId, waiting);
      waiting.reject(unavailable(new Error('No connection for the append became free in time')));
    }, this.database.timeoutMs);
    waiting.began = () => clearTimeout(timer);
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#lanes.size > 0 && this.#running < this.database.appendsAtOnce) this.#begin(this.#group());
  }

  #begin(group: readonly Waiting[]): void {
    for (const { began } of group) began();
    void this.#tracked(() => (group.length === 1 ? this.#one(group[0]!) : this.#together(group)));
  }

  #group(): readonly Waiting[] {
    const group: Waiting[] = [];
    const { isDistributed } = this.database;
    let first: string | null = null; // its tenant
    const fits = ({ isAlone }: Waiting, tenantId: string): boolean => !isAlone && (!isDistributed || tenantId === first);
    for (let next = this.#lanes.take(); next; next = group.length < this.size ? this.#lanes.take(fits) : null) {
      first ??= next.prepared.append.tenantId;
      group.push(next);
      if (next.isAlone) break;
    }
    return group;
  }

  async #one({ prepared: { append, columns, projection, effects }, earlier, resolve, reject }: Waiting): Promise<void> {
    const calls = [
      ...(projection ? [statements.project(append, projection)] : []),
      ...(append.usage?.length ? [statements.countUsage(append, append.usage)] : []),
      ...effects,
    ];
    let attempts = earlier;
    try {
      const [row] = await this.database.append<statements.AppendRow>(append.tenantId, statements.append(append, columns, calls), () => (attempts += 1));
      if (!row) throw new Error('append_events returned nothing');
      resolve({ row, attempts });
    } catch (error) {
      reject(error);
    }
  }

  async #together(group: readonly Waiting[]): Promise<void> {
    let attempts = 0;
    try {
      const rows = await this.database.append<statements.BatchRow>(
        group[0]!.prepared.append.tenantId,
        statements.appendBatch(group.map(({ prepared }) => prepared)),
        () => (attempts += 1),
      );
      group.forEach(({ prepared, resolve }, index) => {
        const { outcome, ...row } = rows[index]!;
        resolve(outcome === 'busy' ? this.alone(prepared, attempts - 1) : { row: { outcome, ...row }, attempts });
      });
    } catch (error) {
      const isAway = error instanceof DomainError && error.code === 'unavailable'; // the database, for all of them
      for (const { prepared, resolve, reject } of group) {
        if (isAway) reject(error);
        else resolve(this.alone(prepared, attempts));
      }
    }
  }

  /** What waits is sent as soon as one in progress ends. */
  async #tracked(work: () => Promise<void>): Promise<void> {
    this.#running += 1;
    try {
      await work();
    } finally {
      this.#running -= 1;
      this.#flush();
    }
  }
}
