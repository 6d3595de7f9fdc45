import type { SkipReason } from '../../../../../packages/protocol/events/events.js';
import type { WrittenFile } from '../../../../ports/session-files.js';
import type { Account } from '../accounts.js';

export interface FolderLimits {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all files. */
  readonly bytes: number;
  readonly files: number;
  /** Folders inside folders; each of them is held open while it is read. */
  readonly depth: number;
  /** Names, or paths from the session's folder, of what is not looked at. */
  readonly ignored: readonly string[];
}

/** A file as it was when it was last read. */
export interface KnownFile {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly sha256: string;
  /** Modification, change, size and number of the inode: a file with the same one has the same content. */
  readonly signature: string;
}

export interface Skipped {
  readonly path: string;
  readonly reason: SkipReason;
}

/** What is done with a session's folder, in a thread of its own. */
export type Task =
  | {
      readonly kind: 'scan';
      /** Names this scan among all scans of the process. */
      readonly id: number;
      /** What is known of the files; or the scan before, which the thread may remember: then only what differs is passed from thread to thread. */
      readonly known: readonly KnownFile[] | number;
      /** Sizes of the files that the log has, by path: they have room before others. Null: the same as of the scan before. */
      readonly recorded: ReadonlyMap<string, number> | null;
      readonly limits: FolderLimits;
      /** Time of the file system before the scan, nanoseconds: a file that has changed since, or in the same tick, may change again without a new time. */
      readonly tick: bigint;
    }
  | { readonly kind: 'read'; readonly paths: readonly string[]; readonly fileBytes: number }
  /** `recorded`: files that may be replaced, because the log has them. */
  | { readonly kind: 'write'; readonly removed: readonly string[]; readonly written: readonly WrittenFile[]; readonly recorded: readonly string[] };

export interface TaskInput {
  readonly task: Task;
  /** The session's folder: an absolute path without links. */
  readonly root: string;
  /** Owner of the files; null: the server's own. */
  readonly account: Account | null;
}

export interface Scanned {
  /** All files; of a scan that names the one before, those that were not found then as they are now. */
  readonly files: readonly KnownFile[];
  /** Paths of files that were found by the scan before, and not by this one. */
  readonly gone: readonly string[];
  /** Paths of files whose signature does not tell whether they change again. */
  readonly unsure: readonly string[];
  readonly skipped: readonly Skipped[];
  readonly hashed: number;
}

export interface TaskResults {
  /** Null: the thread does not remember the scan before. */
  readonly scan: Scanned | null;
  readonly read: ReadonlyMap<string, Uint8Array>;
  readonly write: null;
}
