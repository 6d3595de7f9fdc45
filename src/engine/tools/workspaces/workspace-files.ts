import { type FolderContent, SessionFiles, type SessionName, type WrittenFile } from '../../../ports/index.js';
import { readIndex, tickOf, writeIndex } from './folder-index.js';
import { runTask } from './snapshot/run-task.js';
import type { FolderLimits, Scanned } from './snapshot/task.js';
import type { Workspace, Workspaces } from './workspaces.js';

export interface WorkspaceFileSettings extends FolderLimits {
  /** How long the folder may take to be read, or a part of it to be written, milliseconds. */
  readonly timeoutMs: number;
}

/** The folders that Workspaces makes. */
export class WorkspaceFiles extends SessionFiles {
  /** What was last seen in folders that have no such version yet. */
  readonly #seen = new Map<string, Scanned>();

  constructor(
    private readonly workspaces: Workspaces,
    private readonly settings: WorkspaceFileSettings,
  ) {
    super();
  }

  override async during<T>(of: SessionName, prepare: () => Promise<void>, work: (wasUsed: () => boolean) => Promise<T>): Promise<T> {
    try {
      return await this.workspaces.during(of, prepare, work);
    } finally {
      this.#seen.delete(keyOf(of));
    }
  }

  override async version(of: SessionName): Promise<string | null | undefined> {
    return (await readIndex((await this.#place(of)).indexFile)).version;
  }

  override async look(of: SessionName, recorded: Parameters<SessionFiles['look']>[1]): Promise<FolderContent> {
    const { root, account, indexFile } = await this.#place(of);
    const { timeoutMs, ...limits } = this.settings;
    const seen = this.#seen.get(keyOf(of));
    const known = seen ? sure(seen) : (await readIndex(indexFile)).files;
    const task = { kind: 'scan', known, recorded: sizesOf(recorded), limits, tick: await tickOf(indexFile) } as const;
    const scanned = await runTask({ task, root, account }, timeoutMs);
    this.#seen.set(keyOf(of), scanned);
    const files = new Map(scanned.files.map(({ path, mode, sha256, size }) => [path, { path, mode, sha256, size }]));
    return { files, skipped: scanned.skipped, hashed: scanned.hashed };
  }

  override async read(of: SessionName, paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const { root, account } = await this.#place(of);
    const { timeoutMs, fileBytes } = this.settings;
    return runTask({ task: { kind: 'read', paths, fileBytes }, root, account }, timeoutMs);
  }

  override async write(of: SessionName, removed: readonly string[], written: readonly WrittenFile[], unrecorded: readonly string[]): Promise<void> {
    const { root, account } = await this.#place(of);
    const kept = new Set(unrecorded);
    const recorded = (this.#seen.get(keyOf(of))?.files ?? []).flatMap(({ path }) => (kept.has(path) ? [] : [path]));
    await runTask({ task: { kind: 'write', removed, written, recorded }, root, account }, this.settings.timeoutMs);
  }

  override async mark(of: SessionName, version: string | null): Promise<void> {
    const seen = this.#seen.get(keyOf(of));
    if (!seen) throw new Error('a folder is marked that was not looked at');
    await writeIndex((await this.#place(of)).indexFile, version, seen);
  }

  #place({ tenantId, sessionId }: SessionName): Promise<Workspace> {
    return this.workspaces.place(tenantId, sessionId);
  }
}

const sizesOf = (files: Parameters<SessionFiles['look']>[1]): ReadonlyMap<string, number> => new Map([...files].map(([path, { size }]) => [path, size]));

/** Where sessions have no folder. */
export class NoFolders extends SessionFiles {
  override during<T>(_of: SessionName, _prepare: () => Promise<void>, work: (wasUsed: () => boolean) => Promise<T>): Promise<T> {
    return work(() => false);
  }
  override version = absent;
  override look = absent;
  override read = absent;
  override write = absent;
  override mark = absent;
}

const absent = (): Promise<never> => Promise.reject(new Error('sessions have no folder here'));

const keyOf = ({ tenantId, sessionId }: SessionName): string => `${tenantId}/${sessionId}`;

function sure({ files, unsure }: Scanned): Scanned['files'] {
  const doubtful = new Set(unsure);
  return files.filter(({ path }) => !doubtful.has(path));
}
