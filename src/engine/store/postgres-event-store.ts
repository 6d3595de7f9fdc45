import {
  EventStore,
  type Append,
  type AppendOutcome,
  type Audit,
  type Receipt,
  type Encryption,
  type StoredEvent,
  type TurnClaim,
  type KnownVersion,
  type VerifiedPlace,
} from '../../ports/index.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { type LogFault, logTampered } from '../../../packages/protocol/events/tampered.js';
import { Chain, isCommitmentTo } from '../../../packages/proofs/verification/chain.js';
import { digestOf } from '../../../packages/proofs/verification/chain-row.js';
import { HashChain } from '../../../packages/proofs/verification/hash-chain.js';
import { EventReader } from './event-reader.js';
import { commandIdOf, eventIdOf, isEncryptedRow, type LogRow, logRow, microsecondsOf, openedRow, type RawRow, schemaOf } from './log-row.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { effects } from './effects.js';
import { DEFAULT_GROUP_SIZE, GroupCommit } from './group-commit.js';
import { DEFAULT_SEARCH_TERMS, projectionColumns, type SearchTerms } from './projection.js';
import { isUuid, recorded, requireStorable, toColumns, type EventColumns } from '../../platform/postgres/store/row.js';
import { type OnRefusal, Refusals } from './refusals.js';
import { EncryptedContent } from './encrypted-content.js';
import { plainText } from './encrypted-text.js';
import * as statements from './statements.js';

/** Higher than any seq. */
const END = Number.MAX_SAFE_INTEGER;

/** An append with more text is done in several steps. */
const LARGE_CHARACTERS = 256 * 1024;

const digest = (bytes: Uint8Array): string => hash('sha256', bytes);

/** Stands for the hash of a row that is not valid. */
const NO_HASH = '0'.repeat(64);

/** Events that `verify` reads at once. */
const VERIFY_PAGE = 500;

export class PostgresEventStore extends EventStore {
  readonly #database: Database;

  readonly #search: SearchTerms;
  readonly #group: GroupCommit;

  readonly #encrypted: EncryptedContent;

  readonly #refusals: Refusals;

  /** `groupSize`: the largest number of appends in one commit. */
  constructor(database: Database, encryption: Encryption, search: SearchTerms = DEFAULT_SEARCH_TERMS, groupSize = DEFAULT_GROUP_SIZE, onRefusal?: OnRefusal) {
    super();
    this.#refusals = new Refusals(onRefusal);
    this.#database = database;
    this.#search = search;
    this.#encrypted = new EncryptedContent(database, encryption);
    this.#group = new GroupCommit(database, groupSize);
  }

  override get waitingForStandby(): number {
    return this.#database.waitingForStandby;
  }

  override async append(append: Append): Promise<AppendOutcome> {
    if (append.summary.title !== null) requireStorable(append.summary.title, '/title');
    requireStorable(append.summary.model, '/model');
    const columns = toColumns(append.events);
    // Each step over the text of a large event takes milliseconds: others run between them.
    const isLarge = columns.data.reduce((sum, { length }) => sum + length, 0) > LARGE_CHARACTERS;
    if (isLarge) await setImmediate();
    const encrypted = await this.#encrypted.encrypted(append, columns);
    const projection = append.projection ? projectionColumns(append.projection, this.#search, encrypted?.text) : null;
    const stored = encrypted ?? { append: withPlainTitle(append), columns };
    const prepared = { append: stored.append, columns: stored.columns, projection, effects: [...effects(append), ...(encrypted?.effects ?? [])] };
    if (isLarge) await setImmediate();
    const { row, attempts } = await (isLarge || prepared.effects.length > 0 ? this.#group.alone(prepared) : this.#group.append(prepared));
    if (isLarge) await setImmediate();
    const outcome = outcomeOf(row, append, columns);
    if (outcome.kind === 'appended') {
      encrypted?.appended();
      if (append.events.some(({ type, data }) => type === 'content.erased' && data.scope === 'session')) this.#encrypted.drop(append.sessionId);
    }
    return outcome.kind === 'duplicate' && attempts > 1 ? this.#appendedOr(outcome, append) : outcome;
  }

  override load(tenantId: string, sessionId: string, after = 0, upTo = END): Promise<readonly SessionEvent[]> {
    return this.#refusals.of(() => this.#read(tenantId, sessionId, after, upTo, null));
  }

  override async follow(tenantId: string, sessionId: string, after: VerifiedPlace | null, upTo: number) {
    const rows = await this.#rows(tenantId, sessionId, statements.read(tenantId, sessionId, after?.seq ?? 0, upTo, null));
    const chain = new Chain(digest, tenantId, sessionId, after ?? undefined);
    const reader = new EventReader(sessionId);
    const events = verified(sessionId, chain, rows).map((row) => reader.read(row));
    return { events, place: events.length > 0 ? chain.place : after };
  }

  override page(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly SessionEvent[]> {
    return this.#refusals.of(() => this.#read(tenantId, sessionId, after, END, limit));
  }

  override async receipt(tenantId: string, commandId: string, requestHash: string): Promise<Receipt | null> {
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

  override async exceeds(tenantId: string, sessionId: string, most: { readonly events: number; readonly bytes: number }): Promise<boolean> {
    if (!isUuid(sessionId)) return false;
    const [row] = await this.#database.inTenant(tenantId, (client) =>
      client.$queryRaw<{ exceeds: boolean | null }[]>(statements.exceeds(tenantId, sessionId, most)),
    );
    return row?.exceeds === true;
  }

  override stored(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#refusals.of(async () => (await this.#verified(tenantId, sessionId, after, END, limit)).map(storedEvent));
  }

  override async hashAt(tenantId: string, sessionId: string, seq: number): Promise<string | null> {
    if (!isUuid(sessionId)) return null;
    const [row] = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<{ hash: string }[]>(statements.hashAt(tenantId, sessionId, seq)));
    return row?.hash ?? null;
  }

  override async verify(tenantId: string, sessionId: string): Promise<Audit | null> {
    if (!isUuid(sessionId)) return null;
    const [head] = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<statements.HeadRow[]>(statements.head(tenantId, sessionId)));
    if (!head || (head.version === null && head.last_seq === null)) return null;
    const upTo = Number(head.last_seq ?? 0n);
    const chain = new HashChain(digest, tenantId, sessionId);
    const hashes: Buffer[] = [];
    for (let after: number | null = 0; after !== null;) {
      const rows: readonly (LogRow | null)[] = await this.#rows(tenantId, sessionId, statements.read(tenantId, sessionId, after, upTo, VERIFY_PAGE));
      for (const row of rows) chain.add(row);
      hashes.push(Buffer.from(rows.map((row) => row?.hash ?? NO_HASH).join(''), 'hex'));
      const last = rows.at(-1)?.seq ?? null;
      after = rows.length < VERIFY_PAGE || last === null || last <= after ? null : last;
      await setImmediate(); // a long log must not hold the event loop
    }
    const found = { events: chain.count, headHash: head.head_hash, erased: chain.erased, hashes: Buffer.concat(hashes) };
    const fault = chain.firstFault ?? headFault(chain, head);
    return fault ? { ...found, valid: false, firstInvalidSeq: fault.seq, fault: fault.kind } : { ...found, valid: true };
  }

  override async forks(tenantId: string, sessionId: string): Promise<readonly string[]> {
    if (!isUuid(sessionId)) return [];
    const rows = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<{ session: string }[]>(statements.forks(tenantId, sessionId)));
    return rows.map(({ session }) => session).sort();
  }

  override async erasedSince(sessions: readonly KnownVersion[]): Promise<readonly KnownVersion[]> {
    if (sessions.length === 0) return [];
    const rows = await this.#database.run((client) => client.$queryRaw<{ ordinal: number }[]>(statements.erasedSince(sessions)));
    return rows.map(({ ordinal }) => sessions[ordinal - 1]!);
  }

  override pruneReceipts(maxAgeMs: number, limit: number): Promise<number> {
    return this.#database.run(async (client) => {
      const [row] = await client.$queryRaw<[{ pruned: number }]>`SELECT prune_receipts(${maxAgeMs}::float8, ${limit}::int) AS pruned`;
      return row.pruned;
    });
  }

  async #read(tenantId: string, sessionId: string, after: number, upTo: number, limit: number | null): Promise<readonly SessionEvent[]> {
    const reader = new EventReader(sessionId);
    return (await this.#verified(tenantId, sessionId, after, upTo, limit)).map((row) => reader.read(row));
  }

  /** The link to the event `after` is verified with its stored hash. */
  async #verified(tenantId: string, sessionId: string, given: number, upTo: number, limit: number | null): Promise<readonly LogRow[]> {
    const after = Math.max(given, 0);
    if (after === 0)
      return verified(
        sessionId,
        new Chain(digest, tenantId, sessionId),
        await this.#rows(tenantId, sessionId, statements.read(tenantId, sessionId, 0, upTo, limit)),
      );
    const [before, ...rows] = await this.#rows(tenantId, sessionId, statements.readWithHash(tenantId, sessionId, after, upTo, limit));
    if (before === undefined) return [];
    if (before?.seq !== after) throw logTampered(sessionId, { seq: after, kind: before ? 'missing' : 'altered' });
    return verified(sessionId, new Chain(digest, tenantId, sessionId, before), rows);
  }

  async #rows(tenantId: string, sessionId: string, statement: Prisma.Sql): Promise<readonly (LogRow | null)[]> {
    if (!isUuid(sessionId)) return [];
    const read = () => this.#database.inTenant(tenantId, (_, prepared) => prepared.query<RawRow>(statement));
    const id = sessionId.toLowerCase();
    const { rows, key } = await this.#encrypted.withKey(tenantId, id, read, isEncryptedRow);
    return rows.map((raw) => {
      const row = logRow(raw);
      return row && openedRow(row, key, id);
    });
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

/** Throws `log_tampered` at the first row that is not what was recorded. */
function verified(sessionId: string, chain: Chain, rows: readonly (LogRow | null)[]): readonly LogRow[] {
  for (const row of rows) {
    const kind = chain.add(row);
    if (kind !== null) throw logTampered(sessionId, { seq: chain.place.seq, kind });
  }
  return rows as readonly LogRow[]; // a null would have been a fault
}

function withPlainTitle(append: Append): Append {
  const { title } = append.summary;
  const text = title === null ? null : plainText(title);
  return text === title ? append : { ...append, summary: { ...append.summary, title: text } };
}

function storedEvent(row: LogRow): StoredEvent {
  return {
    seq: row.seq,
    eventId: eventIdOf(row),
    commandId: commandIdOf(row),
    eventType: row.type,
    schemaVersion: schemaOf(row),
    actor: row.actor,
    data: row.data,
    recordedMicroseconds: String(microsecondsOf(row)),
    salt: row.salt,
    digest: digestOf(row),
    hash: row.hash,
  };
}

/** Where the events agree with each other, but not with the head. */
function headFault(chain: HashChain, head: statements.HeadRow): LogFault | null {
  if (head.version === null) return { seq: chain.count, kind: 'head' };
  const version = Number(head.version);
  if (chain.count !== version) return { seq: Math.min(chain.count, version) + 1, kind: 'head' };
  return chain.headHash === head.head_hash ? null : { seq: version, kind: 'head' };
}

function outcomeOf(row: statements.AppendRow, append: Append, columns: EventColumns): AppendOutcome {
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
