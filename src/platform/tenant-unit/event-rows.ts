import { createHash } from 'node:crypto';
import type pg from 'pg';
import { type ChainRow, coveredOf } from '../../../packages/proofs/verification/chain-row.js';
import { HashChain } from '../../../packages/proofs/verification/hash-chain.js';

type Row = Readonly<Record<string, string | null>>;

/** The row with its content opened; `key`: the data key of the session, as the target stores it. Null: it cannot be opened. */
export type OpenRow = (row: ChainRow & { readonly data: string }, sessionId: string, key: StoredDataKey) => Promise<ChainRow | null>;

export interface StoredDataKey {
  readonly id: string;
  readonly keyId: string;
  readonly wrapped: Uint8Array;
}

/** What is wrong with the row of an event. */
export class BadRow extends Error {}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** 2000-01-01, the epoch of Postgres. Milliseconds. */
const EPOCH_MS = 946_684_800_000;

/** Verifies the events of a tenant, session by session: what each hash covers, and that what was erased is what an erasure has recorded. */
export class EventRows {
  #sessionId = '';
  #tenantId = '';
  #chain: HashChain | null = null;
  #key: StoredDataKey | null = null;

  constructor(
    private readonly owner: pg.ClientBase,
    private readonly open: OpenRow,
  ) {}

  /** In the order of sessions and seq. Throws a BadRow. */
  async add(row: Row): Promise<void> {
    const sessionId = row['session_id'] ?? '';
    if (sessionId !== this.#sessionId) this.#begin(row['tenant_id']!, sessionId);
    const seq = Number(row['seq']);
    this.#chain!.add(await this.#opened(row, seq));
    if (this.#chain!.firstInvalidLink !== null)
      throw new BadRow(`event ${seq} of the session ${sessionId} is not the one that was recorded, or does not follow the event before it.`);
  }

  /** All events of the session have been added. */
  end(): void {
    const fault = this.#chain?.erasureFault() ?? null;
    if (fault) throw new BadRow(`in the session ${this.#sessionId}, which ends before this line, event ${fault.seq} ${fault.text}.`);
    this.#chain = null;
  }

  #begin(tenantId: string, sessionId: string): void {
    this.end();
    if (sessionId <= this.#sessionId) throw new BadRow('the events are not in the order of sessions.');
    [this.#sessionId, this.#tenantId, this.#key] = [sessionId, tenantId, null];
    this.#chain = new HashChain(digest, tenantId, sessionId);
  }

  async #opened(row: Row, seq: number): Promise<ChainRow> {
    const plain = chainRow(row, seq);
    if (!plain.data.startsWith('"') || plain.salt === null) return plain;
    const found = await this.open(plain, this.#sessionId, (this.#key ??= await this.#readKey()));
    if (!found) throw new BadRow(`event ${seq} of the session ${this.#sessionId} cannot be decrypted.`);
    return found;
  }

  async #readKey(): Promise<StoredDataKey> {
    const { rows } = await this.owner.query<StoredDataKey>('SELECT id, key_id AS "keyId", wrapped FROM data_key WHERE tenant_id = $1 AND id = $2', [
      this.#tenantId,
      this.#sessionId,
    ]);
    if (!rows[0]) throw new BadRow(`the session ${this.#sessionId} is encrypted, and its data key is not in the file.`);
    return rows[0];
  }
}

function chainRow(row: Row, seq: number): ChainRow & { readonly data: string } {
  const text = (name: string): string => row[name] ?? '';
  const milliseconds = Date.parse(text('recorded_at').replace(' ', 'T').replace('+00', 'Z'));
  if (!Number.isSafeInteger(milliseconds)) throw new BadRow(`the time of event ${seq} is not a time.`);
  const covered = coveredOf({
    eventId: text('event_id'),
    commandId: text('command_id'),
    schemaVersion: Number(text('schema_version')),
    microseconds: BigInt(milliseconds - EPOCH_MS) * 1_000n,
    digest: text('digest').slice(2),
  });
  const salt = row['salt'] ?? null;
  return { seq, covered, hash: text('hash').slice(2), salt: salt && salt.slice(2), type: text('type'), actor: text('actor'), data: text('data') };
}
