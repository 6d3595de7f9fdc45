import type { SessionEvent } from './events.js';

/** The turn that stops running with this event, or the prompt that will have none; null for other events. */
export function stoppedBy(event: SessionEvent): string | null {
  switch (event.type) {
    case 'turn.completed':
    case 'turn.interrupted':
    case 'turn.failed':
    case 'turn.waiting':
      return event.data.turnId;
    case 'prompt.withdrawn':
      return event.data.promptId;
    default:
      return null;
  }
}

/** All of them. */
export const stoppedIn = (events: readonly SessionEvent[]): readonly string[] => events.flatMap((event) => stoppedBy(event) ?? []);
