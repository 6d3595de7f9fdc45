/* What a store and the Agent SDK say to each other. The types are those of `SessionStore` there. */

/** A session file: of a session in a project, or with `subpath` the file of a subagent of the session. */
export interface SessionKey {
  projectKey: string;
  sessionId: string;
  subpath?: string;
}

/** A line of a session file. */
export interface SessionStoreEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [member: string]: unknown;
}

/** What the SDK says of a session for a list of sessions. */
export interface SessionSummaryEntry {
  sessionId: string;
  /** Milliseconds since the epoch, by the clock of the server. */
  mtime: number;
  data: Record<string, unknown>;
}

/** `foldSessionSummary` of the SDK. */
export type FoldSessionSummary = (prev: SessionSummaryEntry | undefined, key: SessionKey, entries: SessionStoreEntry[]) => SessionSummaryEntry;
