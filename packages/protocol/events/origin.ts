/** The point of the parent session at which a fork was made. */
export interface ForkedFrom {
  readonly sessionId: string;
  /** The last shared message; null: none. */
  readonly at: string | null;
  /** Version of the parent session at that time. */
  readonly seq: number;
  /** Head of the parent's hash chain at that version, hexadecimal. */
  readonly headHash: string;
}

/** The program that wrote an imported file. */
export type ImportSource = 'verbatim' | 'claude-code';

export interface SkippedLine {
  /** Counts from 1. */
  readonly line: number;
  /** Never contains content of the line. */
  readonly reason: string;
}

/** Result of an import, by line. */
export interface ImportReport {
  readonly source: ImportSource;
  /** Number of lines that are not blank. */
  readonly lines: number;
  /** Number of messages; several lines may form one answer of the model. */
  readonly messages: number;
  /** Number of rewinds and restores. */
  readonly moves: number;
  /** Number of messages that compactions of the active branch keep verbatim for the model. */
  readonly preserved: number;
  /** Number of prompts that were attached beside the conversation, and now follow its newest answer. */
  readonly reattached: number;
  /** Uuids of the first messages that are not on the active branch; `offBranchTotal` counts all of them. */
  readonly offBranch: readonly string[];
  readonly offBranchTotal: number;
  /** Number of retained lines by type; they are stored but never sent. */
  readonly retained: Readonly<Record<string, number>>;
  /** The first of the unreadable lines; `skippedTotal` counts all of them. */
  readonly skipped: readonly SkippedLine[];
  readonly skippedTotal: number;
  /** The first of the lines that are stored without a part of them. */
  readonly shortened: readonly SkippedLine[];
  /** Metadata in the file about where it was written. */
  readonly origin: Readonly<Record<string, string>>;
}
