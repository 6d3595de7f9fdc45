import { type FolderContent, SessionFiles, type SessionName, type WrittenFile } from '../../../ports/index.js';
import { readIndex, signatureOf, tickOf, writeIndex } from './folder-index.js';
import { runTask } from './snapshot/run-task.js';
import type { FolderLimits, KnownFile, Scanned } from './snapshot/task.js';
import type { Workspace, Workspaces } from './workspaces.js';

export interface WorkspaceFileSettings extends FolderLimits {
  /** How long the folder may take to be read, or a part of it to be written, milliseconds. */
  readonly timeoutMs: number;
}

type Recorded = Parameters<SessionFiles['look']>[1];

/** What was found when a folder was last looked at. */
interface Seen {
  readonly scan: number;
  /** The same map as before when nothing has changed. */
  readonly files: ReadonlyMap<string, KnownFile>;
  readonly unsure: readonly string[];
  readonly recorded: Recorded;
}

/** The file of an index as it was when this process wrote it, and the version in it. */
interface Marked {
  readonly version: string | null;
  readonly signature: string;
}

let scans = 0;

/** The folders that Workspaces makes. */
export class WorkspaceFiles extends SessionFiles {
  /** Of folders that are in use. */
  readonly #seen = new Map<string, Seen>();
  readonly #marked = new Map<string, Marked>();

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
      this.#marked.delete(keyOf(of));
    }
  }

  override async version(of: SessionName): Promise<string | null | undefined> {
    const { indexFile } = await this.#place(of);
    const marked = this.#marked.get(keyOf(of));
    if (marked && (await signatureOf(indexFile)) === marked.signature) return marked.version;
    return (await readIndex(indexFile)).version;
  }

  override async look(of: SessionName, recorded: Recorded): Promise<FolderContent> {
    const { root, account, indexFile } = await this.#place(of);
    const { timeoutMs, ...limits } = this.settings;
    const tick = await tickOf(indexFile);
    const seen = this.#seen.get(keyOf(of));
    const scan = (scans += 1);
    const run = (known: readonly KnownFile[] | number, sizes: Recorded | null): Promise<Scanned | null> =>
      runTask({ task: { kind: 'scan', id: scan, known, recorded: sizes && sizesOf(sizes), limits, tick }, root, account }, timeoutMs);
    const differing = seen ? await run(seen.scan, seen.recorded === recorded ? null : recorded) : null;
    const scanned = differing ?? (await run(seen ? sure(seen) : (await readIndex(indexFile)).files, recorded));
    if (!scanned) throw new Error('a scan of all files is not remembered');
    const files = seen && differing ? changed(seen.files, differing) : new Map(scanned.files.map((file) => [file.path, file]));
    this.#seen.set(keyOf(of), { scan, files, unsure: scanned.unsure, recorded });
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
    const recorded = [...(this.#seen.get(keyOf(of))?.files.keys() ?? [])].filter((path) => !kept.has(path));
    await runTask({ task: { kind: 'write', removed, written, recorded }, root, account }, this.settings.timeoutMs);
  }

  override async mark(of: SessionName, version: string | null): Promise<void> {
    const seen = this.#seen.get(keyOf(of));
    if (!seen) throw new Error('a folder is marked that was not looked at');
    const { indexFile } = await this.#place(of);
    this.#marked.set(keyOf(of), { version, signature: await writeIndex(indexFile, version, sure(seen)) });
  }

  #place({ tenantId, sessionId }: SessionName): Promise<Workspace> {
    return this.workspaces.place(tenantId, sessionId);
  }
}

const sizesOf = (files: Recorded): ReadonlyMap<string, number> => new Map([...files].map(([path, { size }]) => [path, size]));

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

function sure({ files, unsure }: Seen): readonly KnownFile[] {
  const doubtful = new Set(unsure);
  return [...files.values()].filter(({ path }) => !doubtful.has(path));
}

function changed(before: ReadonlyMap<string, KnownFile>, { files, gone }: Scanned): ReadonlyMap<string, KnownFile> {
  if (files.length === 0 && gone.length === 0) return before;
  const after = new Map(before);
  for (const path of gone) after.delete(path);
  for (const file of files) after.set(file.path, file);
  return after;
}
