import type { SkipReason, WorkspaceFile } from '../../packages/protocol/events/events.js';

export interface SessionName {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** What a session's folder holds. */
export interface FolderContent {
  /** The same map as at the last look when no file has changed since. */
  readonly files: ReadonlyMap<string, WorkspaceFile>;
  /** The first of the entries that are not recorded. */
  readonly skipped: readonly { readonly path: string; readonly reason: SkipReason }[];
  /** Files that were read to know what they hold; the others have not changed since they were read before. */
  readonly hashed: number;
}

/** A file to be written. */
export interface WrittenFile {
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

/** The files of sessions on this machine: a cache of what the logs say. A folder that has not been used yet is empty. */
export abstract class SessionFiles {
  /** While `work` runs, the first use of the session's folder by anything waits for `prepare`, and again after it has failed. `work` gets whether the folder was used. */
  abstract during<T>(of: SessionName, prepare: () => Promise<void>, work: (wasUsed: () => boolean) => Promise<T>): Promise<T>;
  /** The version that the folder was last known to hold; undefined: none, or that is not known. */
  abstract version(of: SessionName): Promise<string | null | undefined>;
  /**
   * Reads the names in the folder, and the files that may have changed since it was last read. `recorded`: files that the log has: where not all have room within the limits, the others are left out
   * first.
   */
  abstract look(of: SessionName, recorded: ReadonlyMap<string, Pick<WorkspaceFile, 'size'>>): Promise<FolderContent>;
  /** The bytes of files, of links their targets. Those that are gone or cannot be read are absent. */
  abstract read(of: SessionName, paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Removes and writes files. What is in the way and is not recorded, such as the files `unrecorded`, is renamed. */
  abstract write(of: SessionName, removed: readonly string[], written: readonly WrittenFile[], unrecorded: readonly string[]): Promise<void>;
  /** Records that the folder, as it was last looked at, holds a version. */
  abstract mark(of: SessionName, version: string | null): Promise<void>;
}
