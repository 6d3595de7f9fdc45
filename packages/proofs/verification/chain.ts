import { isSkeleton } from '../../protocol/events/skeleton.js';
import type { FaultKind } from '../../protocol/events/tampered.js';
import { type ChainRow, digestOf } from './chain-row.js';

/** SHA-256 as hexadecimal digits: of Node, or of a browser. */
export type HexDigest = (bytes: Uint8Array) => string;

/** How far a log is verified. */
interface Place {
  readonly seq: number;
  readonly hash: string;
}

const utf8 = new TextEncoder();

/** The first link of a chain covers the name of its format. */
const FORMAT = utf8.encode('verbatim chain 1');

/** Where in the bytes of a link each part begins; the format is that of prisma/functions/chain_hash.sql. */
const AT = { session: 32, seq: 48, tenant: 56, covered: 72, actor: 148, type: 180 } as const;
/** A longer name of a type is of no event. */
const TYPE_ROOM = 76;

/** A longer salt could take a part of the content's place. */
const SALT_BYTES = 16;
/** Content up to so many characters is hashed in a buffer that is used again. */
const SMALL_CHARACTERS = 8 * 1024;
/** Of a character in UTF-8, at most. */
const CHARACTER_BYTES = 3;

/** Whether each row of a session's log is the next one, as it was recorded. One instance for consecutive rows: a row is verified in the time of two hashes. */
export class Chain {
  readonly #link = new Uint8Array(AT.type + TYPE_ROOM);
  readonly #content = new Uint8Array(SALT_BYTES + CHARACTER_BYTES * SMALL_CHARACTERS);
  readonly #text = this.#content.subarray(SALT_BYTES);
  #seq: number;
  #hash: string;
  #actor: string | null = null;
  #type: string | null = null;
  /** The part of the link that a row of this type has. */
  #linked = this.#link;

  /** `after`: where the log was verified up to. Absent: nothing of it. */
  constructor(
    private readonly digest: HexDigest,
    tenantId: string,
    sessionId: string,
    after?: Place,
  ) {
    put(this.#link, AT.session, digits(sessionId));
    put(this.#link, AT.tenant, digits(tenantId));
    this.#seq = after?.seq ?? 0;
    this.#hash = after?.hash ?? this.#first();
  }

  get place(): Place {
    return { seq: this.#seq, hash: this.#hash };
  }

  /** What is wrong with the next row; null: nothing. Continues after it with its stored hash, so that one altered event does not make the later ones invalid. */
  add(row: ChainRow | null): FaultKind | null {
    this.#seq += 1;
    if (!row) return 'altered';
    const link = this.#next(row);
    this.#hash = row.hash;
    if (row.seq !== this.#seq) return 'missing';
    if (link !== row.hash) return 'altered';
    if (row.data === null) return null;
    if (row.salt === null) return isSkeleton(row.type, row.data) ? null : 'erasure';
    return this.#commits(row.data, row.salt, digestOf(row)) ? null : 'content';
  }

  #first(): string {
    const bytes = new Uint8Array(FORMAT.length + AT.seq - AT.session);
    bytes.set(FORMAT);
    bytes.set(this.#link.subarray(AT.session, AT.seq), FORMAT.length);
    return this.digest(bytes);
  }

  #next({ covered, actor, type, seq }: ChainRow): string {
    const link = this.#link;
    put(link, 0, this.#hash);
    putNumber(link, AT.seq, seq);
    put(link, AT.covered, covered);
    if (actor !== this.#actor) put(link, AT.actor, this.digest(utf8.encode((this.#actor = actor)))); // most events of a log have the actor of the one before
    if (type !== this.#type) {
      const { written } = utf8.encodeInto((this.#type = type), link.subarray(AT.type));
      this.#linked = link.subarray(0, AT.type + written);
    }
    return this.digest(this.#linked);
  }

  #commits(data: string, salt: string, digest: string): boolean {
    if (salt.length !== 2 * SALT_BYTES) return false;
    const isSmall = data.length <= SMALL_CHARACTERS;
    const bytes = isSmall ? this.#content : new Uint8Array(SALT_BYTES + CHARACTER_BYTES * data.length);
    put(bytes, 0, salt);
    const { written } = utf8.encodeInto(data, isSmall ? this.#text : bytes.subarray(SALT_BYTES));
    return this.digest(bytes.subarray(0, SALT_BYTES + written)) === digest;
  }
}

/** Whether `digest` (hexadecimal) is that of `salt` and `content`. */
export function isCommitmentTo(digest: HexDigest, content: Uint8Array, salt: Uint8Array, committed: string): boolean {
  if (salt.length !== SALT_BYTES) return false;
  const bytes = new Uint8Array(SALT_BYTES + content.length);
  bytes.set(salt);
  bytes.set(content, SALT_BYTES);
  return digest(bytes) === committed;
}

const digits = (uuid: string): string => uuid.replaceAll('-', '');

/** The value of each character code that is a digit, in lower or upper case. */
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);

/** Writes hexadecimal digits as bytes. */
function put(bytes: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < text.length; index += 2) {
    bytes[at + (index >> 1)] = (VALUES[text.charCodeAt(index)]! << 4) | VALUES[text.charCodeAt(index + 1)]!;
  }
}

/** Writes a whole number as 64 bits, the highest first. */
function putNumber(bytes: Uint8Array, at: number, value: number): void {
  for (let index = at + 7, rest = value; index >= at; index -= 1, rest = Math.floor(rest / 256)) bytes[index] = rest % 256;
}
