import { createHash } from 'node:crypto';
import { type Blob, type FolderContent, SessionFiles, type SessionName, type WrittenFile } from '../../src/ports/index.js';
import type { WorkspaceFile } from '../../packages/protocol/events/events.js';
import { filesOf } from '../../src/session/state/workspace.js';
import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import type { SimulatedProcess } from './process.js';

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const keyOf = ({ tenantId, sessionId }: SessionName): string => `${tenantId}/${sessionId}`;

/** Contents of files, by session. */
export class SimulatedBlobs {
  readonly #of = new Map<string, Map<string, Blob>>();

  async put(tenantId: string, sessionId: string, mediaType: string, content: Uint8Array): Promise<Blob> {
    const blob = { sha256: sha256(content), mediaType, bytes: content.length, content };
    this.#session({ tenantId, sessionId }).set(blob.sha256, blob);
    return blob;
  }

  async get(tenantId: string, sessionId: string, names: readonly string[]): Promise<ReadonlyMap<string, Blob>> {
    const all = this.#session({ tenantId, sessionId });
    return new Map(names.flatMap((name) => (all.has(name) ? [[name, all.get(name)!] as const] : [])));
  }

  async size(): Promise<number> {
    return 0;
  }

  async list(tenantId: string, sessionId: string): Promise<readonly string[]> {
    return [...this.#session({ tenantId, sessionId }).keys()];
  }

  async share(tenantId: string, from: string, to: string): Promise<void> {
    for (const [name, blob] of this.#session({ tenantId, sessionId: from })) this.#session({ tenantId, sessionId: to }).set(name, blob);
  }

  /** As an erasure does it. Null: all. */
  erase(of: SessionName, names: readonly string[] | null): void {
    const all = this.#session(of);
    for (const name of names ?? [...all.keys()]) all.delete(name);
  }

  #session(of: SessionName): Map<string, Blob> {
    const known = this.#of.get(keyOf(of)) ?? new Map<string, Blob>();
    this.#of.set(keyOf(of), known);
    return known;
  }
}

interface Folder {
  readonly files: Map<string, WrittenFile>;
  version: string | null | undefined;
}

/** The folders on the disk of one process, which is lost with it. */
export class SimulatedFolders extends SessionFiles {
  readonly #folders = new Map<string, Folder>();
  /** What a turn that runs has to do before it uses the folder of its session. */
  readonly #uses = new Map<string, { readonly prepare: () => Promise<void>; prepared: Promise<void> | null }>();

  constructor(private readonly process: SimulatedProcess) {
    super();
  }

  override async during<T>(of: SessionName, prepare: () => Promise<void>, work: (wasUsed: () => boolean) => Promise<T>): Promise<T> {
    const use = { prepare, prepared: null as Promise<void> | null };
    this.#uses.set(keyOf(of), use);
    try {
      return await work(() => use.prepared !== null);
    } finally {
      if (this.#uses.get(keyOf(of)) === use) this.#uses.delete(keyOf(of));
    }
  }

  /** The folder, for a tool: at its first use in a turn it must be what the log says. */
  async use(of: SessionName): Promise<Map<string, WrittenFile>> {
    const use = this.#uses.get(keyOf(of));
    if (!use) throw new Error('a tool uses the folder of a session of which no turn runs');
    use.prepared ??= this.#prepared(of, use.prepare).catch((error: unknown) => {
      use.prepared = null;
      throw error;
    });
    await use.prepared;
    return this.#folder(of).files;
  }

  override async version(of: SessionName): Promise<string | null | undefined> {
    await this.process.alive();
    return this.#folder(of).version;
  }

  override async look(of: SessionName): Promise<FolderContent> {
    await this.process.alive();
    const files = new Map<string, WorkspaceFile>();
    for (const { path, mode, content } of this.#folder(of).files.values()) files.set(path, { path, mode, sha256: sha256(content), size: content.length });
    return { files, skipped: [], hashed: 0 };
  }

  override async read(of: SessionName, paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    await this.process.alive();
    const { files } = this.#folder(of);
    return new Map(paths.flatMap((path) => (files.has(path) ? [[path, files.get(path)!.content] as const] : [])));
  }

  override async write(of: SessionName, removed: readonly string[], written: readonly WrittenFile[]): Promise<void> {
    await this.process.alive();
    const { files } = this.#folder(of);
    for (const path of removed) files.delete(path);
    for (const file of written) files.set(file.path, file);
  }

  override async mark(of: SessionName, version: string | null): Promise<void> {
    await this.process.alive();
    this.#folder(of).version = version;
  }

  /** As an erasure on this machine does it. */
  remove(of: SessionName, paths: readonly string[] | null): void {
    const { files } = this.#folder(of);
    for (const path of paths ?? [...files.keys()]) files.delete(path);
    if (paths === null) this.#folders.delete(keyOf(of));
  }

  async #prepared(of: SessionName, prepare: () => Promise<void>): Promise<void> {
    await prepare();
    const { world } = this.process;
    if (!world.isClaimant(of.sessionId, this.process)) return; // it has lost the turn, and its reports are rejected
    const { workspace } = await new CachedSessions(world.store.events, 0).load(of.tenantId, of.sessionId);
    const told = (files: Iterable<readonly [string, string]>): string => JSON.stringify([...files].toSorted());
    const [meant, found] = [filesOf(workspace, workspace.head), this.#folder(of).files];
    const isSame = told([...meant].map(([path, file]) => [path, file.sha256])) === told([...found].map(([path, file]) => [path, sha256(file.content)]));
    if (!isSame) world.violations.push(`the folder of session ${of.sessionId} at ${this.process.name} is not what the log says when a turn first uses it`);
  }

  #folder(of: SessionName): Folder {
    const known = this.#folders.get(keyOf(of)) ?? { files: new Map<string, WrittenFile>(), version: undefined };
    this.#folders.set(keyOf(of), known);
    return known;
  }
}
