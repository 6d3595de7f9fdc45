import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import type { LiveSignal } from '../../ports/index.js';

/** A stored event and its serialized form, which is written to every stream. */
export interface Frame {
  readonly event: SessionEvent;
  readonly text: string;
}

/** JSON contains no raw line breaks, so the data is one line. */
export function storedFrame(event: SessionEvent): Frame {
  return { event, text: `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` };
}

/** Without an id: a stream cannot resume at an event that is not stored. */
export function liveFrame(type: Extract<LiveSignal, { kind: 'delta' }>['type'] | 'synced', data: unknown): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
