import type { EventData, EventType, SessionEvent } from '../core/session/events.js';

/** The data of the one event of that type which a command brought about; a command without it is a bug. */
export function eventOf<T extends EventType>(events: readonly SessionEvent[], type: T): EventData[T] {
  const found = events.find((event) => event.type === type);
  if (!found) throw new Error(`the command brought about no ${type}`);
  return found.data as EventData[T];
}
