import type { Event, StreamedEvent } from './api.js';
import { follow, type StreamOptions } from './event-source.js';
import type { Transport } from './transport.js';

export interface EventOptions extends StreamOptions {
  /** Id of the session. */
  readonly id: string;
  /** Sequence number of the last event that is known; default 0, which starts at the first event. */
  readonly after?: number;
}

/**
 * The events of a session, each stored one once and in order, for as long as the iteration lasts. A lost connection is replaced, and continues after the last
 * event received. Every connection contains one `synced` event: pieces of answers (`message.delta`) received before it may have gaps.
 *
 * Throws `ProblemError` when the server rejects the stream for a reason that does not pass.
 */
export function streamEvents(transport: Transport, { id, after = 0, ...options }: EventOptions): AsyncGenerator<StreamedEvent, void, void> {
  let position = after;
  const path = `/v1/sessions/${encodeURIComponent(id)}/events/stream`;
  return follow(transport, path, options, after === 0 ? null : String(after), (frame) => {
    const value: unknown = JSON.parse(frame.data);
    const event = (frame.id === null ? { type: frame.event, data: value } : value) as StreamedEvent;
    if (!isStored(event)) return event;
    if (event.seq <= position) return null;
    position = event.seq;
    return event;
  });
}

/** A live event has no position in the log. */
export function isStored(event: StreamedEvent): event is Event {
  return 'seq' in event;
}
