import type { SessionEvent } from '../../core/session/events.js';
import type { Json } from '../../core/message/content.js';

/** How many finished requests and turns are remembered; deltas later than that have long been dropped on their way. */
const MOST = 1_000;

/** Knows which requests and turns have come to their end in the log, so that a delta that was slower than its message is not shown after it. */
export class Settled {
  readonly #ids = new Set<string>();

  add(event: SessionEvent): void {
    const id = settledBy(event);
    if (id === undefined) return;
    this.#ids.add(id);
    if (this.#ids.size <= MOST) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }

  /** Whether the delta belongs to something that is over. */
  covers(data: Json): boolean {
    if (typeof data !== 'object' || data === null || !('requestId' in data || 'turnId' in data)) return false;
    const { requestId, turnId } = data as { readonly requestId?: Json; readonly turnId?: Json };
    return (typeof requestId === 'string' && this.#ids.has(requestId)) || (typeof turnId === 'string' && this.#ids.has(turnId));
  }
}

export const settles = (event: SessionEvent): boolean => settledBy(event) !== undefined;

function settledBy(event: SessionEvent): string | undefined {
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
