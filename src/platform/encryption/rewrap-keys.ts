import { randomBytes } from 'node:crypto';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { KeyRing } from '../../ports/index.js';

/** What this file needs of the database; its rows are those of the table data_key. */
export interface KeyTable {
  run<Result>(work: (client: { $queryRawUnsafe<Row>(query: string, ...values: readonly unknown[]): PromiseLike<Row> }) => PromiseLike<Result>): Promise<Result>;
}

interface Row {
  readonly tenant: string;
  readonly id: string;
  readonly key_id: string;
  readonly wrapped: Uint8Array;
}

export interface Rewrapped {
  readonly current: string;
  readonly rewrapped: number;
  /** Keys that the ring does not have; what they wrap is left as it is. */
  readonly missing: readonly string[];
  /** Keys that could not be changed: those of a frozen tenant, or that were erased or wrapped again meanwhile. */
  readonly kept: number;
}

/** Keys per step. */
const BATCH = 500;

const OTHERS = 'SELECT tenant_id::text AS tenant, id::text, key_id, wrapped FROM keys_to_rewrap($1, $2::uuid, $3::uuid, $4::int)';

const REWRAP = 'SELECT id FROM rewrap_keys($1::uuid[], $2::uuid[], $3::bytea[], $4::text[], $5::bytea[]) AS id';

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Wraps every data key with the current key of the ring. Content is not touched. May be stopped and repeated at any time. */
export async function rewrapKeys(database: KeyTable, ring: KeyRing, batch = BATCH): Promise<Rewrapped> {
  // The ring may know its current key by another name than it records.
  const current = (await ring.wrap(randomBytes(32), FIRST)).keyId;
  const missing = new Set<string>();
  let [rewrapped, kept] = [0, 0];
  for (let after = { tenant: FIRST, id: FIRST }; ;) {
    const rows = await database.run((client) => client.$queryRawUnsafe<readonly Row[]>(OTHERS, current, after.tenant, after.id, batch));
    const last = rows.at(-1);
    if (!last) return { current, rewrapped, missing: [...missing], kept };
    after = last;
    const made = (await Promise.all(rows.map((row) => rewrap(ring, row, missing)))).filter((one) => one !== null);
    if (made.length === 0) continue;
    const columns = [
      made.map(({ tenant }) => tenant),
      made.map(({ id }) => id),
      made.map(({ old }) => bytesText(old)),
      made.map(({ keyId }) => keyId),
      made.map(({ wrapped }) => bytesText(wrapped)),
    ];
    const done = (await database.run((client) => client.$queryRawUnsafe<readonly unknown[]>(REWRAP, ...columns))).length;
    rewrapped += done;
    kept += made.length - done;
  }
}

async function rewrap(ring: KeyRing, { tenant, id, key_id: keyId, wrapped: old }: Row, missing: Set<string>) {
  try {
    const key = await ring.unwrap({ keyId, wrapped: old }, id);
    return { tenant, id, old, ...(await ring.wrap(key, id)) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'key_unavailable') throw error;
    missing.add(keyId);
    return null;
  }
}

const bytesText = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`;
