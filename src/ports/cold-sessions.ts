import type { SessionPlace } from './transparency-log.js';

/** What one look for cold sessions has found. */
export interface ArchiveRound {
  /** Logs that lie in the object storage now. */
  readonly archived: number;
  /** Why others could not be archived; they stay where they are. */
  readonly failures: readonly unknown[];
  /** For how long, at most, a log that is still in the database has been due, in seconds. */
  readonly oldestSeconds: number;
}

/** Sessions to which nothing was appended for long: their logs lie in the object storage, and come back when they are read. */
export abstract class ColdSessions {
  /** False: no log is archived. Those that were are still read. */
  abstract readonly isOn: boolean;
  /** Archives what is due, until nothing is, or `stopped` says so. */
  abstract archive(stopped: () => boolean): Promise<ArchiveRound>;
  /** How many logs are archived, and their bytes as stored. */
  abstract size(): Promise<{ readonly logs: number; readonly bytes: number }>;
  /** These sessions without those whose logs are archived. */
  abstract withoutArchived(sessions: readonly SessionPlace[]): Promise<readonly SessionPlace[]>;
}
