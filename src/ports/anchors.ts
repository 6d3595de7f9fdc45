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
  /** Sends text or bytes, and resolves to the answer, whatever its status. */
  abstract send(url: string, mediaType: string, body: string | Uint8Array): Promise<{ readonly status: number; readonly body: Uint8Array }>;
}

/** A signed statement of an authority that something existed at a time (RFC 3161). */
export interface TimeStamp {
  readonly token: Uint8Array;
  readonly time: string;
}

export abstract class TimeStamps {
  /** A time stamp of the SHA-256 of the content, by the authority at the address; rejected when the answer is not one of exactly this content. */
  abstract stamp(url: string, content: Uint8Array): Promise<TimeStamp>;
}
