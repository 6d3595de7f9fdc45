/** The folders in which the tools of sessions work. */
export abstract class SessionFolders {
  /** Deletes the session's folder and everything in it; idempotent. Processes that still run in it are not stopped. */
  abstract remove(tenantId: string, sessionId: string): Promise<void>;
  /** Deletes files of the session's folder, by their paths from it, where the folder is on this machine; idempotent. */
  abstract removeFiles(tenantId: string, sessionId: string, paths: readonly string[]): Promise<void>;
}
