import { createHash } from 'node:crypto';
import pg from 'pg';
import { fromBase64 } from '../../../packages/proofs/base64.js';
import { type Checkpoint, readCheckpoint } from '../../../packages/proofs/checkpoint.js';
import { fromHex } from '../../../packages/proofs/hex.js';
import { leafHashOf } from '../../../packages/proofs/leaf.js';
import { type NoteKey, openNote, type VerifySignature } from '../../../packages/proofs/note.js';
import { equal, type Sha256 } from '../../../packages/proofs/tree.js';
import { rootByInclusion } from '../../../packages/proofs/verify.js';
import { errorCode, errorText } from '../postgres/database-error.js';
import { BadRow, EventRows, type OpenRow } from './event-rows.js';
import { type EndLine, FORMAT, handoverText, type HeadLine, type Line, type ProofLine } from './handover.js';
import { type Column, columnsOf, schemaOf, TableWriter, TEXT_SETTINGS, type Values } from './table-rows.js';
import { TENANT_TABLES } from './tables.js';
import { UnitError } from './unit-error.js';

export interface RestoreOptions {
  readonly lines: AsyncIterable<string>;
  /** The public key of the source's transparency log, from another place than the file. */
  readonly key: NoteKey;
  /** The same as text. */
  readonly verifier: string;
  readonly sha256: Sha256;
  readonly verify: VerifySignature;
  /** Wraps a data key with the current key of the target. Throws a UnitError `key_unavailable`. */
  readonly rewrap: (id: string, keyId: string, wrapped: Uint8Array) => Promise<{ readonly keyId: string; readonly wrapped: Uint8Array }>;
  readonly open: OpenRow;
}

export interface Restored {
  readonly name: string;
  readonly tenantId: string;
  readonly sessions: number;
  readonly note: string;
}

const UNIQUE_VIOLATION = '23505';

/** SQLSTATEs of a value or row that the file has and the database does not accept. */
const REFUSED = /^(?:22|23)/;

/**
 * Restores an export in one transaction: until its end the tenant is not there, and after an error, or a kill at any moment, nothing of it is. Chains are verified row by row, proofs and the signature
 * before the end. Throws a UnitError that names the first line that is wrong.
 */
export async function restoreTenant(owner: pg.Client, options: RestoreOptions): Promise<Restored> {
  await owner.query(`BEGIN; ${TEXT_SETTINGS}`);
  try {
    const restored = await new Restore(owner, options).run();
    await owner.query('COMMIT');
    return restored;
  } catch (error) {
    await owner.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

class Restore {
  #at = 0;
  readonly #digest = createHash('sha256');
  #head: HeadLine | null = null;
  #checkpoint: Checkpoint | null = null;
  #table: { readonly name: string; readonly columns: readonly Column[]; readonly writer: TableWriter } | null = null;
  readonly #left = Object.keys(TENANT_TABLES).filter((name) => TENANT_TABLES[name]!.move === 'copied');
  readonly #events: EventRows;
  #sessions = 0;
  #after = '';

  constructor(
    private readonly owner: pg.Client,
    private readonly options: RestoreOptions,
  ) {
    this.#events = new EventRows(owner, options.open);
  }

  async run(): Promise<Restored> {
    let end: EndLine | null = null;
    for await (const text of this.options.lines) {
      this.#at += 1;
      if (end) throw this.#bad('nothing may follow the note.');
      const line = this.#parsed(text);
      if (line.type === 'end') end = line;
      else {
        await this.#read(line);
        this.#digest.update(text).update('\n');
      }
    }
    if (!end) throw this.#bad(`the file ends here, without the note that hands the tenant over.`);
    return this.#end(end);
  }

  async #read(line: Exclude<Line, EndLine>): Promise<void> {
    if (line.type === 'tenant' ? this.#head !== null : this.#head === null) throw this.#bad('the first line, and no other, names the tenant.');
    try {
      if (line.type === 'tenant') await this.#begin(line);
      else if (line.type === 'table') await this.#open(line.name, line.columns);
      else if (line.type === 'row') await this.#row(line.values);
      else await this.#proof(line);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async #begin(head: HeadLine): Promise<void> {
    if (head.format !== FORMAT) throw this.#bad(`the format is not ${FORMAT}.`);
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(head.tenantId)) throw this.#bad('the id of the tenant is not a UUID.');
    const { key, sha256, verify } = this.options;
    const text = openNote(sha256, head.checkpoint, key, verify);
    this.#checkpoint = text === null ? null : readCheckpoint(text);
    if (!this.#checkpoint) throw new UnitError('bad_note', 'The checkpoint of the file is not signed with the given key.');
    const schema = await schemaOf(this.owner);
    if (head.schema !== schema)
      throw new UnitError(
        'other_schema',
        `The file was written with the schema ${head.schema}, and this database has ${schema}: bring both to one version, and export again.`,
      );
    const { rowCount } = await this.owner.query('SELECT FROM tenant WHERE tenant_id = $1', [head.tenantId]);
    if (rowCount !== 0) throw exists(head.name);
    await this.owner.query(`SET LOCAL verbatim.restoring = ${pg.escapeLiteral(head.tenantId)}`); // nodes get it, too
    this.#head = head;
  }

  async #open(name: string, columns: readonly string[]): Promise<void> {
    await this.#close();
    if (name !== this.#left.shift()) throw this.#bad(`the table ${name} is not the next one.`);
    const known = await columnsOf(this.owner, name);
    if (JSON.stringify(known.map((column) => column.name)) !== JSON.stringify(columns)) throw this.#bad(`the table ${name} has other columns.`);
    this.#table = { name, columns: known, writer: new TableWriter(this.owner, name, known) };
  }

  async #close(): Promise<void> {
    await this.#table?.writer.flush();
    if (this.#table?.name === 'event') this.#events.end();
    this.#table = null;
  }

  async #row(values: Values): Promise<void> {
    const table = this.#table;
    if (!table || values.length !== table.columns.length) throw this.#bad('this is no row of the table.');
    const row = Object.fromEntries(table.columns.map(({ name }, index) => [name, values[index]!]));
    if (row['tenant_id'] !== this.#head!.tenantId) throw this.#bad('the row is of another tenant.');
    if (table.name === 'event') await this.#events.add(row);
    if (table.name === 'stream') this.#sessions += 1;
    await table.writer.add(table.name === 'data_key' ? await this.#rewrapped(table.columns, row) : values);
  }

  async #rewrapped(columns: readonly Column[], row: Readonly<Record<string, string | null>>): Promise<Values> {
    const { keyId, wrapped } = await this.options.rewrap(row['id']!, row['key_id']!, Buffer.from(row['wrapped']!.slice(2), 'hex'));
    const given = { ...row, key_id: keyId, wrapped: `\\x${Buffer.from(wrapped).toString('hex')}` } as Readonly<Record<string, string | null>>;
    return columns.map(({ name }) => given[name]!);
  }

  async #proof({ sessionId, seq, hash, leafIndex, hashes }: ProofLine): Promise<void> {
    await this.#close();
    if (this.#left.length > 0) throw this.#bad(`the table ${this.#left[0]} is missing.`);
    if (sessionId <= this.#after) throw this.#bad('the proofs are not in the order of sessions.');
    this.#after = sessionId;
    this.#sessions -= 1;
    const { sha256 } = this.options;
    const leaf = leafHashOf(sha256, { sessionId, seq, hash: fromHex(hash) });
    const proof = hashes.map((text) => fromBase64(text) ?? new Uint8Array());
    const root = rootByInclusion(sha256, leafIndex, this.#checkpoint!.size, leaf, proof);
    if (!root || !equal(root, this.#checkpoint!.root)) throw this.#bad('the proof does not lead to the root of the checkpoint.');
    const { rowCount } = await this.owner.query(
      `SELECT FROM stream s JOIN event e ON e.tenant_id = s.tenant_id AND e.session_id = s.session_id AND e.seq = s.version
       WHERE s.tenant_id = $1 AND s.session_id = $2 AND s.version = $3 AND s.head_hash = $4 AND e.hash = s.head_hash
         AND NOT EXISTS (SELECT FROM event l WHERE l.tenant_id = $1 AND l.session_id = $2 AND l.seq > $3)`,
      [this.#head!.tenantId, sessionId, seq, Buffer.from(hash, 'hex')],
    );
    if (rowCount !== 1) throw this.#bad('the proof is not of the newest event of the session.');
  }

  async #end({ note }: EndLine): Promise<Restored> {
    if (!this.#head) throw this.#bad('the file has no tenant.');
    await this.#close();
    if (this.#left.length > 0) throw this.#bad(`the table ${this.#left[0]} is missing.`);
    const { tenantId, name } = this.#head;
    const { rows } = await this.owner.query<{ sessions: number }>('SELECT count(DISTINCT session_id)::int AS sessions FROM event WHERE tenant_id = $1', [
      tenantId,
    ]);
    const { rows: streams } = await this.owner.query<{ sessions: number }>('SELECT count(*)::int AS sessions FROM stream WHERE tenant_id = $1', [tenantId]);
    const [{ sessions }] = rows as [{ sessions: number }];
    if (this.#sessions !== 0 || streams[0]!.sessions !== sessions) throw this.#bad('a session has no proof.');
    const { key, verifier, sha256, verify } = this.options;
    const text = handoverText({ tenantId, checkpoint: this.#checkpoint!, lines: this.#at - 1, digest: this.#digest.digest('hex') });
    const signed = openNote(sha256, note, key, verify);
    if (signed === null) throw new UnitError('bad_note', 'The note at the end of the file is not signed with the given key.');
    if (signed !== text) throw new UnitError('bad_note', 'The file is not the one that was signed: a line was changed, added or removed.');
    await this.owner.query('INSERT INTO tenant_handover (tenant_id, note, verifier) VALUES ($1, $2, $3)', [tenantId, note, verifier]);
    return { name, tenantId, sessions, note };
  }

  #parsed(text: string): Line {
    try {
      const line = JSON.parse(text) as Line;
      if (isLine(line)) return line;
    } catch {
      throw this.#bad('this is not JSON; the file may be truncated.');
    }
    throw this.#bad('this is no line of an export.');
  }

  #explained(error: unknown): unknown {
    if (error instanceof UnitError) return error;
    if (error instanceof BadRow) return this.#bad(error.message);
    const code = errorCode(error) ?? '';
    if (code === UNIQUE_VIOLATION && this.#table?.name === 'tenant') return exists(this.#head!.name);
    return REFUSED.test(code) ? this.#bad(`the database does not accept this row, or one of the rows before it: ${errorText(error)}.`) : error;
  }

  #bad(reason: string): UnitError {
    return new UnitError('bad_line', `Line ${this.#at}: ${reason}`);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const LINES: Readonly<Record<string, (line: Readonly<Record<string, unknown>>) => boolean>> = {
  tenant: (line) => ['format', 'tenantId', 'name', 'schema', 'checkpoint'].every((member) => isText(line[member])),
  table: (line) => isText(line['name']) && isTexts(line['columns']),
  row: (line) => Array.isArray(line['values']) && line['values'].every((value) => value === null || isText(value)),
  proof: (line) =>
    isText(line['sessionId']) &&
    Number.isSafeInteger(line['seq']) &&
    isText(line['hash']) &&
    Number.isSafeInteger(line['leafIndex']) &&
    isTexts(line['hashes']),
  end: (line) => isText(line['note']),
};

function isLine(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const line = value as Readonly<Record<string, unknown>>;
  const { type } = line;
  return typeof type === 'string' && Object.hasOwn(LINES, type) && LINES[type]!(line);
}

const exists = (name: string): UnitError =>
  new UnitError('tenant_exists', `This database has the tenant ${name} already, or what an erasure has left of it. Restore into another deployment.`);
