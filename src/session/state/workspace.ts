import type { ContentErased, EventData, WorkspaceFile } from '../../../packages/protocol/events/events.js';

type Change = EventData['workspace.changed'];

/** The files of the session's folder after one change, as what differs from the version before. */
export interface WorkspaceVersion extends Pick<Change, 'version' | 'base' | 'cause' | 'turnId' | 'toolUseId' | 'prompt' | 'files' | 'deleted' | 'skipped'> {
  readonly seq: number;
  readonly at: string;
  /** Of an erased change: the files that it had replaced or deleted. They are gone after it, and what it wrote is not known any more. */
  readonly removed?: ErasedFiles['removed'];
}

type ErasedFiles = NonNullable<ContentErased['files']>[number];

/** Versions form a tree, as messages do: after a rewind the next change has an earlier version as its base. */
export interface WorkspaceState {
  /** The current version; null: an empty folder. */
  head: string | null;
  readonly versions: Map<string, WorkspaceVersion>;
  /** The last erasure of a message that took files; null: none. A folder from before it may hold what was erased. */
  erasure: string | null;
}

export const emptyWorkspace = (): WorkspaceState => ({ head: null, versions: new Map(), erasure: null });

/** What was found in a folder of another version is kept, and changes no current file. */
export function changeWorkspace(workspace: WorkspaceState, data: Change, seq: number, at: string): void {
  workspace.versions.set(data.version, { ...data, seq, at: data.at ?? at });
  if (data.base === workspace.head) workspace.head = data.version;
}

export function moveWorkspace(workspace: WorkspaceState, moved: { readonly to: string | null } | undefined): void {
  if (moved) workspace.head = moved.to;
}

/** The versions that lead to one of `reached`, for a fork. */
export function inheritWorkspace(workspace: WorkspaceState, parent: WorkspaceState, head: string | null, reached: readonly (string | null)[]): void {
  for (const one of leadingTo(parent, reached)) workspace.versions.set(one.version, { ...one, seq: 0 });
  workspace.head = head;
}

/** The given versions and what they were made of, each after its base. */
export function leadingTo(workspace: WorkspaceState, reached: readonly (string | null)[]): readonly WorkspaceVersion[] {
  const found = new Map<string, WorkspaceVersion>();
  for (const version of new Set(reached)) {
    const fresh: WorkspaceVersion[] = [];
    for (const one of lineage(workspace, version)) {
      if (found.has(one.version)) break; // with all that led to it
      fresh.push(one);
    }
    for (const one of fresh.reverse()) found.set(one.version, one);
  }
  return [...found.values()];
}

/** From the given version back to the first one. */
function* lineage(workspace: WorkspaceState, version: string | null): Generator<WorkspaceVersion> {
  for (let next = version; next !== null;) {
    const found = workspace.versions.get(next);
    if (!found) return;
    yield found;
    next = found.base;
  }
}

/** All files of a version, by path. Linear in the changes that led to it. */
export function filesOf(workspace: WorkspaceState, version: string | null): Map<string, WorkspaceFile> {
  return new Map([...placesOf(workspace, version)].map(([path, { file }]) => [path, file]));
}

/** Whether a version has a file with this path. */
export function hasFile(workspace: WorkspaceState, version: string | null, path: string): boolean {
  for (const { files, deleted, removed } of lineage(workspace, version)) {
    if (files.some((file) => file.path === path)) return true;
    if (deleted.includes(path) || removed?.some((of) => workspace.versions.get(of.version)?.files[of.index]?.path === path)) return false;
  }
  return false;
}

/** Whether a change that led to the version was erased: a file of it may have been erased, too. */
export function isPartlyErased(workspace: WorkspaceState, version: string | null): boolean {
  return [...lineage(workspace, version)].some(({ removed }) => removed !== undefined);
}

interface Place {
  readonly version: string;
  readonly index: number;
  readonly file: WorkspaceFile;
}

/** All files of a version, by path, each with the change that wrote it. */
function placesOf(workspace: WorkspaceState, version: string | null): Map<string, Place> {
  const files = new Map<string, Place>();
  for (const one of [...lineage(workspace, version)].reverse()) {
    for (const { version: of, index } of one.removed ?? []) files.delete(workspace.versions.get(of)?.files[index]?.path ?? '');
    for (const path of one.deleted) files.delete(path);
    for (const [index, { path, mode, sha256, size }] of one.files.entries())
      files.set(path, { version: one.version, index, file: { path, mode, sha256, size } });
  }
  return files;
}

/**
 * What an erasure of the given changes leaves of them: the places of files that each had replaced or deleted. Their paths are in changes that stay, so no path that is erased is named. A change
 * of the mode alone replaces nothing.
 */
export function erasedChanges(workspace: WorkspaceState, versions: readonly string[]): readonly ErasedFiles[] {
  const after: WorkspaceState = { ...workspace, versions: new Map(workspace.versions) };
  const changes = versions.flatMap((version) => workspace.versions.get(version) ?? []).sort((one, other) => one.seq - other.seq);
  return changes.map(({ version, base, files, deleted }) => {
    const before = placesOf(after, base);
    const replaced = [...files, ...deleted.map((path) => ({ path, sha256: null }))].flatMap(({ path, sha256 }) => {
      const place = before.get(path);
      return place && place.file.sha256 !== sha256 ? [{ version: place.version, index: place.index }] : [];
    });
    const erased = { version, removed: replaced };
    eraseChanges(after, [erased]);
    return erased;
  });
}

export function eraseChanges(workspace: WorkspaceState, erased: readonly ErasedFiles[]): void {
  for (const { version, removed } of erased) {
    const known = workspace.versions.get(version);
    if (known) workspace.versions.set(version, { ...known, files: [], deleted: [], skipped: [], removed });
  }
}

export interface FileDifference {
  readonly path: string;
  /** Null: there is no such file. */
  readonly before: WorkspaceFile | null;
  readonly after: WorkspaceFile | null;
}

/** What differs between two sets of files, by path in the order of code units. */
export function differences(before: ReadonlyMap<string, WorkspaceFile>, after: ReadonlyMap<string, WorkspaceFile>): readonly FileDifference[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return paths.flatMap((path) => {
    const [old, now] = [before.get(path) ?? null, after.get(path) ?? null];
    return old?.sha256 === now?.sha256 && old?.mode === now?.mode ? [] : [{ path, before: old, after: now }];
  });
}
