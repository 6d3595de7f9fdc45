/** What a wire tells the bus that uses it. */
export interface Ears {
  /** Listening has begun, for the first time or again: anything before may have been missed. */
  onListening(): void;
  /** The listening connection is lost; the wire is already working on a new one. */
  onLost(error: unknown): void;
  onFrame(frame: string): void;
}

/** Carries frames between processes, in order, over one connection to speak and one to listen. Its own frames come back too. */
export interface Transport {
  /** The longest frame it can carry, in bytes. */
  readonly frameBytes: number;
  /** Starts to listen, and to reconnect whenever the connection is lost, until `close`. */
  listen(ears: Ears): void;
  /** Drops the listening connection, which is believed dead, and makes a new one. */
  relisten(): void;
  /** Rejects when delivery is not certain; the next call connects anew. */
  send(frames: readonly string[]): Promise<void>;
  /** Rejects unless both connections answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly url: string;
  /** Processes on the same channel of the same server hear each other. */
  readonly channel?: string;
  /** How long an answer may take. */
  readonly timeoutMs?: number;
}

export const DEFAULT_TIMEOUT_MS = 5_000;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** How long to wait before the given attempt to connect again, counted from 1. */
export function reconnectPause(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_PAUSE_MS);
}
