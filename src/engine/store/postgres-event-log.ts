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

/** Logs as the tables have them. */
export class PostgresEventLog extends EventLog {
  protected readonly encrypted: EncryptedContent;
  readonly #refusals: Refusals;

  constructor(
    private readonly reads: TenantReads,
    encryption: Encryption,
    onRefusal?: OnRefusal,
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
    const [row] = await this.reads.inTenant(tenantId, (client) =>
      client.$queryRaw<{ exceeds: boolean | null }[]>(statements.exceeds(tenantId, sessionId, most)),
    );
    return row?.exceeds === true;
  }

  override async within(tenantId: string, sessionId: string, after: number, most: LogSize): Promise<number> {
    if (!isUuid(sessionId)) return 1;
    const [row] = await this.reads.inTenant(tenantId, (client) => client.$queryRaw<{ events: number }[]>(statements.within(tenantId, sessionId, after, most)));
    return row?.events ?? 1;
  }

  override stored(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#refusals.of(async () => (await this.#verified(tenantId, sessionId, after, END, limit)).map(storedEvent));
  }

  override async hashAt(tenantId: string, sessionId: string, seq: number): Promise<string | null> {
    if (!isUuid(sessionId)) return null;
    const [row] = await this.reads.inTenant(tenantId, (client) => client.$queryRaw<{ hash: string }[]>(statements.hashAt(tenantId, sessionId, seq)));
    return row?.hash ?? null;
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

  async #rows(tenantId: string, sessionId: string, statement: Prisma.Sql): Promise<readonly (LogRow | null)[]> {
    if (!isUuid(sessionId)) return [];
    const read = () => this.reads.inTenant(tenantId, (_, prepared) => prepared.query<RawRow>(statement));
    const id = sessionId.toLowerCase();
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
