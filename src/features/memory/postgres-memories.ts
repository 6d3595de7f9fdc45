import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Prisma } from '../../generated/prisma/client.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import {
  type DataKey,
  type Encryption,
  Memories,
  type MemoryAuthor,
  type MemoryFile,
  type MemoryFiles,
  type MemoryOf,
  type MemoryVersion,
} from '../../ports/index.js';
import { type MemoryRow, newestRows, rowsOfFile, versionOfCall } from './postgres-statements.js';
import { type MemoryLimits, pathsFault } from '../../session/memory/memory-limits.js';
import type { MemoryChange } from '../../session/memory/run-command.js';

/** What `body` holds. */
interface Body {
  readonly path: string;
  readonly content: string | null;
  readonly renamedFrom: string | null;
}

type Version = MemoryVersion & { readonly fileId: string; readonly keyId: string | null };

/** Each attempt that fails is one change of another call of the same user. */
const ATTEMPTS = 100;

/** Rows are written and deleted by functions of the database only. Path and content are encrypted with a data key of the memory, which goes with it. */
export class PostgresMemories extends Memories {
  readonly #database: Database;
  readonly #encryption: Encryption;

  constructor(
    database: Database,
    encryption: Encryption,
    private readonly limits: MemoryLimits,
  ) {
    super();
    this.#database = database;
    this.#encryption = encryption;
  }

  override async files(of: MemoryOf): Promise<readonly MemoryFile[]> {
    return (await this.all(of)).files;
  }

  override async all(of: MemoryOf): ReturnType<Memories['all']> {
    const newest = (await this.#newest(of, null)).sort(byPath);
    return {
      files: newest.filter((version): version is Version & MemoryFile => version.content !== null),
      deleted: newest.filter(({ content }) => content === null),
    };
  }

  override async versions(
    of: MemoryOf,
    path: string,
    { upTo, limit }: { readonly upTo: number | null; readonly limit: number },
  ): Promise<readonly MemoryVersion[]> {
    const file = (await this.#newest(of, null)).find((version) => version.path === path);
    if (!file) return [];
    return this.#read(of, rowsOfFile(of, file.fileId, upTo, limit));
  }

  override async change<Decided extends { readonly changes: readonly MemoryChange[] }>(
    of: MemoryOf,
    author: MemoryAuthor,
    decide: (files: MemoryFiles) => Decided | Promise<Decided>,
  ): Promise<Decided & { readonly version: number }> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const present = await this.#newest(of, null);
      // After they were read: what this call has written is not among them, or is found here.
      const own = await this.#versionOf(of, author.call);
      if (own !== null) return { ...(await decide(filesIn(await this.#newest(of, own - 1)))), version: own };
      const version = Math.max(0, ...present.map((file) => file.version));
      const decided = await decide(filesIn(present));
      if (decided.changes.length === 0) return { ...decided, version };
      const fault = pathsFault(
        new Set(present.map(({ path }) => path)),
        decided.changes.map(({ path }) => path),
        this.limits,
      );
      if (fault !== null) throw new DomainError('limit_reached', fault);
      if (await this.#record(of, author, present, version, decided.changes)) return { ...decided, version: version + 1 };
    }
    throw new DomainError('unavailable', 'The memory was changed again and again while a change was made. Try again.');
  }

  override async erase({ tenantId, userId }: MemoryOf): Promise<boolean> {
    const rows = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<readonly { keys: string[] }[]>`SELECT erase_memory(u.tenant_id, u.user_id, NULL)::text[] AS keys FROM app_user u
        WHERE u.tenant_id = ${tenantId}::uuid AND u.user_id = ${userId}::uuid`,
    );
    for (const key of rows[0]?.keys ?? []) this.#encryption.drop(key);
    return rows.length > 0;
  }

  /** The version that the call has written; null: none. */
  async #versionOf(of: MemoryOf, call: MemoryAuthor['call']): Promise<number | null> {
    if (call === null) return null;
    const [row] = await this.#database.inTenant(of.tenantId, (client) => client.$queryRaw<readonly { version: bigint }[]>(versionOfCall(of, call)));
    return row ? Number(row.version) : null;
  }

  /** The newest version of every path, deleted files included, as it was after `upTo`. */
  #newest(of: MemoryOf, upTo: number | null): Promise<Version[]> {
    return this.#read(of, newestRows(of, upTo));
  }

  async #read(of: MemoryOf, statement: Prisma.Sql): Promise<Version[]> {
    const rows = await this.#database.inTenant(of.tenantId, (client) => client.$queryRaw<readonly MemoryRow[]>(statement));
    return Promise.all(rows.map((row) => this.#versionIn(of, row)));
  }

  async #versionIn(of: MemoryOf, row: MemoryRow): Promise<Version> {
    const version = Number(row.version);
    const { path, content, renamedFrom } = JSON.parse(await this.#opened(of, row, version)) as Body;
    return {
      ...{ path, version, content, renamedFrom, fileId: row.file_id, keyId: row.data_key },
      ...{ changedAt: row.created_at.toISOString(), changedBy: row.changed_by, sessionId: row.session_id },
    };
  }

  async #opened(of: MemoryOf, { body, data_key: id, key_id: keyId, wrapped, file_id: fileId }: MemoryRow, version: number): Promise<string> {
    if (id === null) return body;
    if (keyId === null || wrapped === null) {
      throw new DomainError('key_unavailable', 'The memory is encrypted, and its data key is no longer stored.', [], { keyId: id });
    }
    const key = this.#encryption.known(id) ?? (await this.#encryption.unwrap({ id, keyId, wrapped }));
    const opened = key.open(Buffer.from(body, 'base64'), contextOf(of, fileId, version));
    if (!opened) throw new Error(`Version ${version} of the memory of user ${of.userId} cannot be opened: the row was changed or damaged.`);
    return Buffer.from(opened).toString('utf8');
  }

  /** False: the memory has changed since it was read. */
  async #record(
    of: MemoryOf,
    { changedBy, call }: MemoryAuthor,
    present: readonly Version[],
    version: number,
    changes: readonly MemoryChange[],
  ): Promise<boolean> {
    const { tenantId, userId } = of;
    const known = new Map(present.map(({ path, fileId }) => [path, fileId]));
    const ids = changes.map(({ path }) => known.get(path) ?? randomUUID());
    const bodies = changes.map(({ path, content, renamedFrom = null }) => JSON.stringify({ path, content, renamedFrom } satisfies Body));
    const used = await this.#key(present);
    const stored = used === null ? bodies : bodies.map((body, index) => encrypted(used.key, body, contextOf(of, ids[index]!, version + 1)));
    const [keyId, wrapped] = used?.made ? [used.made.keyId, Buffer.from(used.made.wrapped)] : [null, null];
    const [row] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<[{ recorded: boolean }]>`SELECT record_memory(${tenantId}::uuid, ${userId}::uuid, ${version}::bigint,
        ${call?.sessionId ?? null}::uuid, ${call?.toolUseId ?? null}::text, ${changedBy}::uuid, ${ids}::uuid[], ${stored}::text[],
        ${used?.id ?? null}::uuid, ${keyId}::text, ${wrapped}::bytea) AS recorded`,
    );
    if (row.recorded && used?.made) this.#encryption.keep(used.id, used.key);
    return row.recorded;
  }

  /** The key of what is written now; null: it is not encrypted. The key of the newest version that has one is used again. */
  async #key(
    present: readonly Version[],
  ): Promise<{ readonly id: string; readonly key: DataKey; readonly made: { readonly keyId: string; readonly wrapped: Uint8Array } | null } | null> {
    if (!this.#encryption.isOn) return null;
    const id = present.toSorted((one, other) => other.version - one.version).find(({ keyId }) => keyId !== null)?.keyId;
    const known = id ? this.#encryption.known(id) : null; // it has just been used to read
    if (id && known) return { id, key: known, made: null };
    const fresh = randomUUID();
    const { key, stored } = await this.#encryption.create(fresh);
    return { id: fresh, key, made: stored };
  }
}

const byPath = (one: Version, other: Version): number => (one.path < other.path ? -1 : 1);

function filesIn(versions: readonly MemoryVersion[]): MemoryFiles {
  return new Map(versions.flatMap(({ path, content }) => (content === null ? [] : [[path, content] as const])));
}

/** A body opens only as the version of the file for which it was written. */
const contextOf = ({ tenantId, userId }: MemoryOf, fileId: string, version: number): string =>
  `memory ${tenantId} ${userId} ${fileId} ${version}`.toLowerCase();

const encrypted = (key: DataKey, body: string, context: string): string => Buffer.from(key.encrypt(Buffer.from(body), context)).toString('base64');
