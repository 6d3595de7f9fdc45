/** A file outside the database that keeps checkpoints. */
export abstract class AnchorFile {
  /** Whether there is one. */
  abstract readonly isSet: boolean;
  /** The newest checkpoint in the file, as a signed note; null when it has none. */
  abstract newest(): Promise<string | null>;
  /** Appends a checkpoint; it is on the disk when this resolves. */
  abstract append(note: string, time: string): Promise<void>;
}

/** Sends JSON to addresses that the operator has set. */
export abstract class Webhooks {
  /** Rejects when the receiver does not answer with a 2xx status in time. */
  abstract post(url: string, body: object): Promise<void>;
}
