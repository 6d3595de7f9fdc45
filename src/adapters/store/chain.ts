import { createHash, hash } from 'node:crypto';
import type { VerifiedPlace } from '../../core/ports.js';
import type { FaultKind } from '../../core/session/tampered.js';
import { isSkeleton } from '../../core/session/skeleton.js';
import { digestOf, type LogRow } from './log-row.js';

/** The first link of a chain covers the name of its format. */
const FORMAT = Buffer.from('verbatim chain 1');

/** Where in the bytes of a link each part begins; the format is that of prisma/functions/chain_hash.sql. */
const AT = { session: 32, seq: 48, tenant: 56, covered: 72, actor: 148, type: 180 } as const;
/** A longer name of a type is of no event. */
const TYPE_ROOM = 76;

const SALT_BYTES = 16;
/** Content up to so many characters is hashed in a buffer that is used again. */
const SMALL_CHARACTERS = 8 * 1024;

/** Whether each row of a session's log is the next one, as it was recorded. One instance for consecutive rows: a row is verified in the time of two hashes of its own. */
export class Chain {
  readonly #link = Buffer.alloc(AT.type + TYPE_ROOM);
  readonly #content = Buffer.alloc(SALT_BYTES + 3 * SMALL_CHARACTERS);
  #seq: number;
  #hash: string;
  #actor: string | null = null;

  /** `after`: where the log was verified up to. Absent: nothing of it. */
  constructor(tenantId: string, sessionId: string, after?: VerifiedPlace) {
    this.#link.write(digits(sessionId), AT.session, 'hex');
    this.#link.write(digits(tenantId), AT.tenant, 'hex');
    this.#seq = after?.seq ?? 0;
    this.#hash = after?.hash ?? firstLink(sessionId);
  }

  get place(): VerifiedPlace {
    return { seq: this.#seq, hash: this.#hash };
  }

  /** What is wrong with the next row; null: nothing. Continues after it with its stored hash, so that one altered event does not make the later ones invalid. */
  add(row: LogRow | null): FaultKind | null {
    this.#seq += 1;
    if (!row) return 'altered';
    const link = this.#next(row);
    this.#hash = row.hash;
    if (row.seq !== this.#seq) return 'missing';
    if (link !== row.hash) return 'altered';
    if (row.salt === null) return isSkeleton(row.type, row.data) ? null : 'erasure';
    return this.#commits(row.data, row.salt, digestOf(row)) ? null : 'content';
  }

  #next({ covered, actor, type, seq }: LogRow): string {
    const link = this.#link;
    link.write(this.#hash, 0, 'hex');
    link.writeUInt32BE(Math.floor(seq / 2 ** 32) >>> 0, AT.seq);
    link.writeUInt32BE(seq >>> 0, AT.seq + 4);
    link.write(covered, AT.covered, 'hex');
    if (actor !== this.#actor) link.write(hash('sha256', (this.#actor = actor)), AT.actor, 'hex'); // most events of a log have the actor of the one before
    const length = link.write(type, AT.type);
    return hash('sha256', link.subarray(0, AT.type + length));
  }

  #commits(data: string, salt: string, digest: string): boolean {
    if (salt.length !== 2 * SALT_BYTES) return false; // a longer one could take a part of the content's place
    if (data.length > SMALL_CHARACTERS) return createHash('sha256').update(salt, 'hex').update(data).digest('hex') === digest;
    this.#content.write(salt, 0, 'hex');
    const length = this.#content.write(data, SALT_BYTES);
    return hash('sha256', this.#content.subarray(0, SALT_BYTES + length)) === digest;
  }
}

function firstLink(sessionId: string): string {
  return hash('sha256', Buffer.concat([FORMAT, Buffer.from(digits(sessionId), 'hex')]));
}

const digits = (uuid: string): string => uuid.replaceAll('-', '');
