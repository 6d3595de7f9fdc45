import type { EventData, WorkspaceFile } from '../../../packages/protocol/events/events.js';

type Change = EventData['workspace.changed'];

/** The files of the session's folder after one change, as what differs from the version before. */
export interface WorkspaceVersion extends Pick<Change, 'version' | 'base' | 'cause' | 'turnId' | 'toolUseId' | 'files' | 'deleted' | 'skipped'> {
  readonly seq: number;
  readonly at: string;
}

/** Versions form a tree, as messages do: after a rewind the next change has an earlier version as its base. */
export interface WorkspaceState {
  /** The current version; null: an empty folder. */
  head: string | null;
  readonly versions: Map<string, WorkspaceVersion>;
}

export const emptyWorkspace = (): WorkspaceState => ({ head: null, versions: new Map() });

/** What was found in a folder of another version is kept, and changes no current file. */
export function changeWorkspace(workspace: WorkspaceState, data: Change, seq: number, at: string): void {
  workspace.versions.set(data.version, { ...data, seq, at });
  if (data.base === workspace.head) workspace.head = data.version;
}

export function moveWorkspace(workspace: WorkspaceState, moved: { readonly to: string | null } | undefined): void {
  if (moved) workspace.head = moved.to;
}

/** The versions that lead to one of `reached`, for a fork. */
export function inheritWorkspace(workspace: WorkspaceState, parent: WorkspaceState, head: string | null, reached: readonly (string | null)[]): void {
  for (const version of new Set(reached)) {
    for (const one of lineage(parent, version)) {
      if (workspace.versions.has(one.version)) break; // with all that led to it
      workspace.versions.set(one.version, one);
    }
  }
  workspace.head = head;
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
  const files = new Map<string, WorkspaceFile>();
  for (const { files: changed, deleted } of [...lineage(workspace, version)].reverse()) {
    for (const path of deleted) files.delete(path);
    for (const { path, mode, sha256, size } of changed) files.set(path, { path, mode, sha256, size });
  }
  return files;
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
