import type { DataKey } from '../../ports/index.js';
import { type ChainRow, COVERED_DIGITS } from '../../../packages/proofs/verification/chain-row.js';
import { Prisma } from '../../generated/prisma/client.js';

/**
 * The columns of one event as two texts, because each further column costs as much in the client as a short event: everything of fixed length, in the bytes that the hash chain
 * covers and in their order, as hexadecimal digits; then type and actor. What is read is therefore what is verified. A column that is null makes the whole text null: then the row was altered.
 */
const HEAD = Prisma.sql`encode(int8send(seq) || uuid_send(event_id) || uuid_send(command_id) || int4send(schema_version) || timestamptz_send(recorded_at) || digest || hash
  || coalesce(salt, ''::bytea), 'hex') || ' ' || char_length(type) || ',' || type || actor::text AS head`;

export const LOG_COLUMNS = Prisma.sql`${HEAD}, data::text AS data`;

/** The same, without the data of the event `after`, of which only the hash is needed. */
export const columnsAfter = (after: number): Prisma.Sql => Prisma.sql`${HEAD}, CASE WHEN seq > ${after}::bigint THEN data::text END AS data`;

export interface RawRow {
  readonly head: string | null;
  readonly data: string | null;
}

/** Hexadecimal digits. */
const DIGITS = { seq: 16, covered: COVERED_DIGITS, hash: 64, salt: 32 } as const;
const HASH_AT = DIGITS.seq + DIGITS.covered;
const SALT_AT = HASH_AT + DIGITS.hash;
/** Within `covered`: after the ids of the event and its command. */
const [SCHEMA_AT, TIME_AT, DIGEST_AT] = [64, 72, 88] as const;

/** A stored event; encrypted data is opened. */
export type LogRow = ChainRow & { readonly data: string };

/** Null: this is no row that append_events wrote. */
export function logRow({ head, data }: RawRow): LogRow | null {
  const end = head?.indexOf(' ') ?? -1;
  if (head === null || (end !== SALT_AT && end !== SALT_AT + DIGITS.salt)) return null;
  const typeAt = head.indexOf(',', end) + 1;
  const actorAt = typeAt + Number(head.slice(end + 1, typeAt - 1));
  return {
    seq: Number.parseInt(head.slice(0, DIGITS.seq), 16),
    covered: head.slice(DIGITS.seq, HASH_AT),
    hash: head.slice(HASH_AT, SALT_AT),
    salt: end === SALT_AT ? null : head.slice(SALT_AT, end),
    type: head.slice(typeAt, actorAt),
    actor: head.slice(actorAt),
    data: data ?? '',
  };
}

export const eventIdOf = ({ covered }: LogRow): string => uuidText(covered.slice(0, 32));
export const commandIdOf = ({ covered }: LogRow): string => uuidText(covered.slice(32, SCHEMA_AT));
export const schemaOf = ({ covered }: LogRow): number => Number.parseInt(covered.slice(SCHEMA_AT, TIME_AT), 16);

/** Since 2000-01-01 UTC, the epoch of Postgres. */
export function microsecondsOf({ covered }: LogRow): number {
  const digits = covered.slice(TIME_AT, DIGEST_AT);
  return digits < '8' ? Number.parseInt(digits, 16) : Number(BigInt.asIntN(64, BigInt(`0x${digits}`)));
}

/** What the encryption is bound to: moved to another event, the data cannot be opened. */
export const eventContext = (sessionId: string, seq: number): string => `event ${sessionId.toLowerCase()} ${seq}`;

/** The data of an encrypted event is a JSON text, in base64; that of any other event is a JSON object. */
export const isEncryptedRow = ({ data }: RawRow): boolean => data?.startsWith('"') === true;

/** The row as if it had not been encrypted; itself, when it was altered: its digest then does not match. */
export function openedRow(row: LogRow, key: DataKey | undefined, sessionId: string): LogRow {
  if (!isEncryptedRow({ head: null, data: row.data }) || !key || row.salt === null) return row;
  const content = key.open(Buffer.from(row.data.slice(1, -1), 'base64'), eventContext(sessionId, row.seq));
  return content ? { ...row, data: textOf(content), salt: Buffer.from(key.saltFrom(Buffer.from(row.salt, 'hex'))).toString('hex') } : row;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** As one text that shares nothing with another. A text that was joined keeps its parts as objects, which the garbage collector copies: for a long log that takes as long as to parse it. */
function uuidText(digits: string): string {
  let at = 0;
  for (let index = 0; index < digits.length; index += 1) {
    if (index === 8 || index === 12 || index === 16 || index === 20) UUID[at++] = HYPHEN;
    UUID[at++] = digits.charCodeAt(index);
  }
  return UUID.toString('latin1');
}

const HYPHEN = 0x2d;
const UUID = Buffer.alloc(36);
