import { EventLog, type Audit, type Encryption, type LogSize, type StoredEvent, type VerifiedPlace } from '../../ports/index.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { type LogFault, logTampered } from '../../../packages/protocol/events/tampered.js';
import { Chain } from '../../../packages/proofs/verification/chain.js';
import { digestOf } from '../../../packages/proofs/verification/chain-row.js';
import { HashChain } from '../../../packages/proofs/verification/hash-chain.js';
import { EventReader } from './event-reader.js';
import { commandIdOf, eventIdOf, isEncryptedRow, type LogRow, logRow, microsecondsOf, openedRow, type RawRow, schemaOf } from './log-row.js';
import type { TenantReads } from '../../platform/postgres/store/tenant-connections.js';
import { isUuid } from '../../platform/postgres/store/row.js';
import { type OnRefusal, Refusals } from './refusals.js';
import { EncryptedContent } from './encrypted-content.js';
import * as statements from './statements.js';

/** Higher than any seq. */
const END = Number.MAX_SAFE_INTEGER;

export const digest = (bytes: Uint8Array): string => hash('sha256', bytes);

/** Stands for the hash of a row that is not valid. */
const NO_HASH = '0'.repeat(64);

/** Events that `verify` reads at once. */
const VERIFY_PAGE = 500;

/** Brings archived logs back; see `LogArchives`. */
export interface Archives {
  /** Resolves when the events are in the tables again, or were before. Rejected with `log_tampered` when what is archived is not what was recorded. */
  restore(tenantId: string, sessionId: string): Promise<void>;
}

/** Of a standby, which cannot bring a log back: the primary is read instead. */
export const NO_ARCHIVES: Archives = {
  restore: (_, sessionId) => Promise.reject(logTampered(sessionId, { seq: 1, kind: 'archive' })),
};

/** How often a log is brought back for one read: it would have to be cold again at once. */
const RESTORES = 3;

/** Logs as the tables have them. */
export class PostgresEventLog extends EventLog {
  protected readonly encrypted: EncryptedContent;
  readonly #refusals: Refusals;

  constructor(
    private readonly reads: TenantReads,
    encryption: Encryption,
    onRefusal?: OnRefusal,
    protected readonly archives: Archives = NO_ARCHIVES,
  ) {
    super();
    this.encrypted = new EncryptedContent(reads, encryption);
    this.#refusals = new Refusals(onRefusal);
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

  override async exceeds(tenantId: string, sessionId: string, most: LogSize): Promise<boolean> {
    if (!isUuid(sessionId)) return false;
    const row = await this.#one<{ exceeds: boolean | null }>(tenantId, sessionId, statements.exceeds(tenantId, sessionId, most));
    return row?.exceeds === true;
  }

  override async within(tenantId: string, sessionId: string, after: number, most: LogSize): Promise<number> {
    if (!isUuid(sessionId)) return 1;
    const row = await this.#one<{ events: number }>(tenantId, sessionId, statements.within(tenantId, sessionId, after, most));
    return row?.events ?? 1;
  }

  override stored(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#refusals.of(async () => (await this.#verified(tenantId, sessionId, after, END, limit)).map(storedEvent));
  }

  override async hashAt(tenantId: string, sessionId: string, seq: number): Promise<string | null> {
    if (!isUuid(sessionId)) return null;
    return (await this.#one<{ hash: string | null }>(tenantId, sessionId, statements.hashAt(tenantId, sessionId, seq)))?.hash ?? null;
  }

  override async verify(tenantId: string, sessionId: string): Promise<Audit | null> {
    if (!isUuid(sessionId)) return null;
    const [head] = await this.reads.inTenant(tenantId, (client) => client.$queryRaw<statements.HeadRow[]>(statements.head(tenantId, sessionId)));
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

  /** A statement that answers with one row, which says whether the log is archived. */
  #one<Row>(tenantId: string, sessionId: string, statement: Prisma.Sql): Promise<Row | undefined> {
    return this.#restored(tenantId, sessionId.toLowerCase(), async () => {
      const [row] = await this.reads.inTenant(tenantId, (client) => client.$queryRaw<(Row & { archived: boolean })[]>(statement));
      return row?.archived ? null : row;
    });
  }

  /** `read` answers null when the log is archived; then it is brought back, and read again. */
  async #restored<Result>(tenantId: string, sessionId: string, read: () => Promise<Result | null>): Promise<Result> {
    for (let restores = 0; ; restores += 1) {
      const result = await read();
      if (result !== null) return result;
      if (restores === RESTORES) throw logTampered(sessionId, { seq: 1, kind: 'archive' });
      await this.archives.restore(tenantId, sessionId);
    }
  }

  async #rows(tenantId: string, sessionId: string, statement: Prisma.Sql): Promise<readonly (LogRow | null)[]> {
    if (!isUuid(sessionId)) return [];
    const id = sessionId.toLowerCase();
    const read = () =>
      this.#restored(tenantId, id, async () => {
        const rows = await this.reads.inTenant(tenantId, (_, prepared) => prepared.query<RawRow>(statement));
        return rows.at(-1)?.head === statements.ARCHIVED ? null : rows;
      });
    const { rows, key } = await this.encrypted.withKey(tenantId, id, read, isEncryptedRow);
    return rows.map((raw) => {
      const row = logRow(raw);
      return row && openedRow(row, key, id);
    });
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
