import type { Json } from '../message/content.js';
import type { SessionEvent } from '../session/events.js';

/** `advanced`: look into the log, it reaches at least `seq`; whoever is in the process that wrote `events` has them without looking. `delta`: a piece of something unsettled, gone if nobody listens. */
export type LiveSignal =
  | { readonly kind: 'advanced'; readonly sessionId: string; readonly seq: number; readonly events?: readonly SessionEvent[] }
  | { readonly kind: 'delta'; readonly sessionId: string; readonly type: 'message.delta' | 'tool.progress' | 'queue.changed'; readonly data: Json };

/** A hint to every process that may care; losing one costs a delay, never data. */
export abstract class LiveBus {
  /** Returns at once; delivery to this process's own subscribers is immediate, to others it follows. */
  abstract publish(signal: LiveSignal): void;
  /** Work waits in the outbox. */
  abstract nudge(): void;
  abstract subscribe(sessionId: string, listener: (signal: LiveSignal) => void): () => void;
  abstract onNudge(listener: () => void): () => void;
  abstract ping(): Promise<void>;
}
