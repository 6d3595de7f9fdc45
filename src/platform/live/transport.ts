/** What a transport reports to the bus that uses it. */
export interface TransportListener {
  /** The frames of all topics that were added are received from now on, for the first time or again: earlier ones may have been missed. */
  onListening(): void;
  /** The receiving connection is lost; the transport reconnects by itself. */
  onLost(error: unknown): void;
  onFrame(topic: string, frame: string): void;
}

/** A frame of a batch on its way to everybody who receives its topic. */
export interface Frame {
  readonly topic: string;
  readonly text: string;
}

/** Carries frames between processes, in order within a topic, with one connection to send and one to receive. A process also receives its own frames. */
export interface Transport {
  /** The maximum size of a frame in bytes. */
  readonly frameBytes: number;
  /** Receives the frames of `first`, and reconnects after each loss of the connection, until `close`. */
  listen(listener: TransportListener, first: string): void;
  /** Receives another topic. Resolves when it does (true), or (false) when the next `onListening` covers it. */
  add(topic: string): Promise<boolean>;
  remove(topic: string): void;
  /** Replaces the receiving connection, which has gone silent. */
  reconnectListener(): void;
  /** Rejects when delivery is not certain; the next call reconnects. */
  send(frames: readonly Frame[]): Promise<void>;
  /** Rejects unless both connections answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly url: string;
  /** Processes with the same channel on the same server receive each other's frames. */
  readonly channel?: string;
  /** Milliseconds that an answer may take. */
  readonly timeoutMs?: number;
}

export const DEFAULT_TIMEOUT_MS = 5_000;

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/** Milliseconds to wait before the given attempt to reconnect, counted from 1. */
export function reconnectPause(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), MAX_PAUSE_MS);
}
