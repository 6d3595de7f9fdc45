import type { SessionEvent } from './events.js';

/** The turn that stops running with this event, or the prompt that will have none; null for other events. */
export function stoppedBy(event: SessionEvent): string | null {
  switch (event.type) {
    case 'turn.completed':
    case 'turn.interrupted':
    case 'turn.failed':
      return event.data.turnId;
    case 'turn.waiting':
      return waitsForHelpers(event) ? null : event.data.turnId;
    case 'prompt.withdrawn':
      return event.data.promptId;
    default:
      return null;
  }
}

/** Whether a turn waits for helpers alone: it runs again without anything that a client does. */
export const waitsForHelpers = ({ data }: Extract<SessionEvent, { type: 'turn.waiting' }>): boolean =>
  data.toolUseIds.length === 0 && data.decisions === undefined && data.helpers !== undefined;

/** All of them. */
export const stoppedIn = (events: readonly SessionEvent[]): readonly string[] => events.flatMap((event) => stoppedBy(event) ?? []);
