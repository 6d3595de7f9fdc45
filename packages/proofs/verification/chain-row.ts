/** An event as its hash covers it; the texts as stored, byte for byte. */
export interface ChainRow {
  readonly seq: number;
  /** Ids of event and command, schema version, time and digest: what the hash covers besides the place in the log, type and actor. Hexadecimal. */
  readonly covered: string;
  readonly hash: string;
  /** Hexadecimal. Null: the content was erased, or is withheld. */
  readonly salt: string | null;
  readonly type: string;
  /** JSON. */
  readonly actor: string;
  /** JSON. Null: withheld; its digest stands for it. */
  readonly data: string | null;
}

/** Hexadecimal digits of `covered`, and of those before the digest. */
export const COVERED_DIGITS = 152;
const DIGEST_AT = 88;

export const digestOf = ({ covered }: Pick<ChainRow, 'covered'>): string => covered.slice(DIGEST_AT);

/** From its parts. `microseconds`: since 2000-01-01, the epoch of Postgres. */
export function coveredOf(row: {
  readonly eventId: string;
  readonly commandId: string;
  readonly schemaVersion: number;
  readonly microseconds: bigint;
  readonly digest: string;
}): string {
  const schema = row.schemaVersion.toString(16).padStart(8, '0');
  const time = BigInt.asUintN(64, row.microseconds).toString(16).padStart(16, '0');
  return row.eventId.replaceAll('-', '') + row.commandId.replaceAll('-', '') + schema + time + row.digest;
}
