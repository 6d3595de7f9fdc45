import type { MemoryChange } from '../session/memory/run-command.js';

/** Whose memory it is. */
export interface MemoryOf {
  readonly tenantId: string;
  readonly userId: string;
}

/** Who changes a memory. `call`: the tool call by which the model of a session does; null: a person does, over HTTP. */
export interface MemoryAuthor {
  readonly changedBy: string;
  readonly call: { readonly sessionId: string; readonly toolUseId: string } | null;
}

/** What one change made of one path. */
export interface MemoryVersion {
  readonly path: string;
  /** Of the memory as a whole: one more with each change. */
  readonly version: number;
  /** Null: the file was deleted, or moved away. */
  readonly content: string | null;
  /** The path from which the file was moved; null: from none. */
  readonly renamedFrom: string | null;
  readonly changedAt: string;
  readonly changedBy: string;
  /** The session whose model made the change; null: a person did. */
  readonly sessionId: string | null;
}

/** A file as it is now. */
export type MemoryFile = MemoryVersion & { readonly content: string };

export type MemoryFiles = ReadonlyMap<string, string>;

/** What the model remembers for users across their sessions: small files, of which every earlier version is kept. */
export abstract class Memories {
  /** The files of a user as they are now, by path. */
  abstract files(of: MemoryOf): Promise<readonly MemoryFile[]>;
  /** With the paths at which there is no file any more, each with the change that deleted it or moved it away, by path. */
  abstract all(of: MemoryOf): Promise<{ readonly files: readonly MemoryFile[]; readonly deleted: readonly MemoryVersion[] }>;
  /** The newest versions of a path up to `upTo` (null: the newest of all), newest first. */
  abstract versions(of: MemoryOf, path: string, page: { readonly upTo: number | null; readonly limit: number }): Promise<readonly MemoryVersion[]>;
  /**
   * Appends the changes that `decide` makes of the present files, as one version, and returns what it returned. Nothing changes in between, also not what `decide` has read: when something has, it decides again. Rejected with `limit_reached` where that would be too many paths. A call that was recorded before is not
   * applied again: `decide` is given the files that it had then, so that the answer is the same.
   */
  abstract change<Decided extends { readonly changes: readonly MemoryChange[] }>(
    of: MemoryOf,
    author: MemoryAuthor,
    decide: (files: MemoryFiles) => Decided | Promise<Decided>,
  ): Promise<Decided & { readonly version: number }>;
  /** Deletes the files of a user with their history. False: the tenant has no such user. */
  abstract erase(of: MemoryOf): Promise<boolean>;
}
