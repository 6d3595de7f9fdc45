import type { Append, AppendOutcome, Encryption, EventStore, KnownVersion, Receipt, TurnClaim } from '../../ports/index.js';
import { setImmediate } from 'node:timers/promises';
import { isCommitmentTo } from '../../../packages/proofs/verification/chain.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { effects } from './effects.js';
import { DEFAULT_GROUP_SIZE, GroupCommit } from './group-commit.js';
import { DEFAULT_SEARCH_TERMS, projectionColumns, type SearchTerms } from './projection.js';
import { isUuid, recorded, requireStorable, toColumns, type EventColumns } from '../../platform/postgres/store/row.js';
import type { OnRefusal } from './refusals.js';
import { plainText } from './encrypted-text.js';
import { type Archives, digest, PostgresEventLog } from './postgres-event-log.js';
import * as statements from './statements.js';

/** An append with more text is done in several steps. */
const LARGE_CHARACTERS = 256 * 1024;

export class PostgresEventStore extends PostgresEventLog implements EventStore {
  readonly #database: Database;

  readonly #search: SearchTerms;
  readonly #group: GroupCommit;

  /** `groupSize`: the largest number of appends in one commit. */
  constructor(
    database: Database,
    encryption: Encryption,
    search: SearchTerms = DEFAULT_SEARCH_TERMS,
    groupSize = DEFAULT_GROUP_SIZE,
    onRefusal?: OnRefusal,
    archives?: Archives,
  ) {
    super(database, encryption, onRefusal, archives);
    this.#database = database;
    this.#search = search;
    this.#group = new GroupCommit(database, groupSize);
  }

  get waitingForStandby(): number {
    return this.#database.waitingForStandby;
  }

  async append(append: Append): Promise<AppendOutcome> {
    if (append.summary.title !== null) requireStorable(append.summary.title, '/title');
    requireStorable(append.summary.model, '/model');
    const columns = toColumns(append.events);
    // Each step over the text of a large event takes milliseconds: others run between them.
    const isLarge = columns.data.reduce((sum, { length }) => sum + length, 0) > LARGE_CHARACTERS;
    if (isLarge) await setImmediate();
    const encrypted = await this.encrypted.encrypted(append, columns);
    const projection = append.projection ? projectionColumns(append.projection, this.#search, encrypted?.text) : null;
    const stored = encrypted ?? { append: withPlainTitle(append), columns };
    const prepared = { append: stored.append, columns: stored.columns, projection, effects: [...effects(append), ...(encrypted?.effects ?? [])] };
    if (isLarge) await setImmediate();
    const { row, attempts } = await (isLarge || prepared.effects.length > 0 ? this.#group.alone(prepared) : this.#group.append(prepared));
    if (isLarge) await setImmediate();
    if (row.outcome === 'archived') {
      // Decided on a state that was cached before.
      await this.archives.restore(append.tenantId, append.sessionId.toLowerCase());
      return this.append(append);
    }
    const outcome = outcomeOf({ ...row, outcome: row.outcome }, append, columns);
    if (outcome.kind === 'appended') {
      encrypted?.appended();
      if (append.events.some(({ type, data }) => type === 'content.erased' && data.scope === 'session')) this.encrypted.drop(append.sessionId);
    }
    return outcome.kind === 'duplicate' && attempts > 1 ? this.#appendedOr(outcome, append) : outcome;
  }

  async receipt(tenantId: string, commandId: string, requestHash: string): Promise<Receipt | null> {
    if (!isUuid(commandId)) return null;
    const found = await this.#database.inTenant(tenantId, (client) => client.receipt.findFirst({ where: { tenantId, commandId } }));
    return (
      found && {
        sessionId: found.sessionId,
        sameRequest: isCommitmentTo(digest, Buffer.from(requestHash, 'hex'), found.salt, Buffer.from(found.requestDigest).toString('hex')),
        firstSeq: Number(found.firstSeq),
        lastSeq: Number(found.lastSeq),
      }
    );
  }

  async forks(tenantId: string, sessionId: string): Promise<readonly string[]> {
    if (!isUuid(sessionId)) return [];
    const rows = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<{ session: string }[]>(statements.forks(tenantId, sessionId)));
    return rows.map(({ session }) => session).sort();
  }

  async erasedSince(sessions: readonly KnownVersion[]): Promise<readonly KnownVersion[]> {
    if (sessions.length === 0) return [];
    return this.#database.ofAllTenants(
      async (client) => {
        const rows = await client.$queryRaw<{ ordinal: number }[]>(statements.erasedSince(sessions));
        return rows.map(({ ordinal }) => sessions[ordinal - 1]!);
      },
      () => this.#erasedOfEach(sessions),
    );
  }

  /** What is kept of a tenant whose node is away is compared when it is back: until then it is not served. */
  async #erasedOfEach(sessions: readonly KnownVersion[]): Promise<readonly KnownVersion[]> {
    const erased: KnownVersion[] = [];
    for (const tenantId of await this.#database.nodes.reachable(sessions.map((session) => session.tenantId))) {
      const own = sessions.filter((session) => session.tenantId === tenantId);
      const rows = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<{ ordinal: number }[]>(statements.erasedOf(tenantId, own)));
      erased.push(...rows.map(({ ordinal }) => own[ordinal - 1]!));
    }
    return erased;
  }

  async pruneReceipts(maxAgeMs: number, limit: number): Promise<number> {
    const [row] = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<[{ pruned: number }]>`SELECT prune_receipts(${maxAgeMs}::float8, ${limit}::int) AS pruned`,
      (client, waitMs) => client.$queryRaw<[{ pruned: number }]>`SELECT prune_reachable_receipts(${waitMs}::int, ${maxAgeMs}::float8, ${limit}::int) AS pruned`,
    );
    return row.pruned;
  }

  /** After a lost connection the retry found the command executed: by the first attempt, if the events have the ids that this call assigned. */
  async #appendedOr(duplicate: Extract<AppendOutcome, { kind: 'duplicate' }>, append: Append): Promise<AppendOutcome> {
    const { tenantId, sessionId } = append;
    const events = await this.load(tenantId, sessionId, duplicate.firstSeq - 1, duplicate.lastSeq);
    if (events[0]?.id !== append.events[0]?.id) return duplicate;
    const headHash = await this.hashAt(tenantId, sessionId, duplicate.lastSeq);
    return { kind: 'appended', events, headHash, jobsPending: true, claim: await this.#claimOf(append) };
  }

  async #claimOf({ tenantId, dispatch, jobs: [job] }: Append): Promise<TurnClaim | null> {
    if (!dispatch || !job) return null;
    const [row] = await this.#database.inTenant(tenantId, (client) =>
      client.$queryRaw<{ fence: bigint }[]>(statements.heldFence(tenantId, dispatch.holder, job.id)),
    );
    return row ? { jobId: job.id, fence: Number(row.fence) } : null;
  }
}

function withPlainTitle(append: Append): Append {
  const { title } = append.summary;
  const text = title === null ? null : plainText(title);
  return text === title ? append : { ...append, summary: { ...append.summary, title: text } };
}

function outcomeOf(
  row: statements.AppendRow & { readonly outcome: Exclude<statements.AppendRow['outcome'], 'archived'> },
  append: Append,
  columns: EventColumns,
): AppendOutcome {
  switch (row.outcome) {
    case 'appended':
      return {
        kind: 'appended',
        events: recorded(append, columns, Number(row.first_seq), row.recorded_at!.toISOString()),
        headHash: row.head_hash?.toString('hex') ?? null,
        jobsPending: row.jobs_pending === true,
        claim: row.claim_fence === null ? null : { jobId: append.jobs[0]!.id, fence: Number(row.claim_fence) },
      };
    case 'duplicate':
      return { kind: 'duplicate', firstSeq: Number(row.first_seq), lastSeq: Number(row.last_seq) };
    case 'conflict':
      return { kind: 'conflict', version: Number(row.last_seq) };
    case 'key_reused':
    case 'fenced':
      return { kind: row.outcome };
  }
}
