import type { LiveSignal } from '../../ports/index.js';
import { type Frame, liveFrame } from './frame.js';

export type Delta = Extract<LiveSignal, { kind: 'delta' }>;

/** A live frame: its data, and as it is written to every event stream. */
export interface LiveFrame {
  readonly type: Delta['type'];
  readonly data: Delta['data'];
  readonly text: string;
}

/** How a stream writes what happens in a session. One object per stream. */
export interface StreamFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** The first bytes. */
  readonly opening: string;
  /** Writes the texts of frames as they are, so that their bytes are the same for all readers. */
  readonly isShared: boolean;
  stored(frame: Frame): string;
  live(frame: LiveFrame): string;
  /** After the replay, once. */
  synced(version: number): string;
  /** Called when everything stored has been written. A text ends the stream; null: it continues. */
  closing(): string | null;
  /** A stream that ends early is cut off, so that its client does not take it for complete. */
  readonly cutsOff: boolean;
}

/** The client's reconnection delay, in milliseconds. */
const RETRY = 2_000;

/** The events of the log as they are, and live events; never ends by itself. */
export const EVENT_FORMAT: StreamFormat = {
  headers: {},
  opening: `retry: ${RETRY}\n\n`,
  isShared: true,
  stored: ({ text }: Frame) => text,
  live: ({ text }: LiveFrame) => text,
  synced: (version: number) => liveFrame('synced', { version }),
  closing: () => null,
  cutsOff: false,
};
