import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import type { Json } from '../../../packages/protocol/message/content.js';

/** How many finished requests and turns are remembered; no delta is delayed for longer. */
const MAX_IDS = 1_000;

/** The requests and turns that have ended in the log, so that a late delta is not delivered after its message. */
export class Ended {
  readonly #ids = new Set<string>();

  add(event: SessionEvent): void {
    const id = endedBy(event);
    if (id === undefined) return;
    this.#ids.add(id);
    if (this.#ids.size <= MAX_IDS) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }

  /** Whether the delta belongs to a request or turn that has ended. */
  covers(data: Json): boolean {
    if (typeof data !== 'object' || data === null || !('requestId' in data || 'turnId' in data)) return false;
    const { requestId, turnId } = data as { readonly requestId?: Json; readonly turnId?: Json };
    return (typeof requestId === 'string' && this.#ids.has(requestId)) || (typeof turnId === 'string' && this.#ids.has(turnId));
  }
}

export const isEnd = (event: SessionEvent): boolean => endedBy(event) !== undefined;

function endedBy(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'message.appended':
      return event.data.message.type === 'assistant' ? event.data.message.requestId : undefined;
    case 'request.completed':
    case 'request.failed':
      return event.data.requestId;
    case 'turn.completed':
    case 'turn.interrupted':
    case 'turn.failed':
      return event.data.turnId;
    default:
      return undefined;
  }
}
