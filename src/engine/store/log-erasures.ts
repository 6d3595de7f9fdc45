import { ErasedEvents } from '../../../packages/protocol/events/erased-events.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { logTampered } from '../../../packages/protocol/events/tampered.js';

/** The erasures of a log that is read page by page, while others may be made. */
export class LogErasures {
  readonly #events = new ErasedEvents();
  readonly #erased = new Set<number>();
  #last = 0;

  /** `known`: the last erasure that had been made before the first page was read. */
  constructor(
    private readonly sessionId: string,
    private readonly known: number,
  ) {}

  /** The last erasure that was read. */
  get last(): number {
    return this.#last;
  }

  /** Whether an event was erased, and no erasure so far says so. */
  get isOpen(): boolean {
    return this.#events.firstFault() !== null;
  }

  /** The next events. False: content of earlier ones was erased after they had been read with it. */
  add(events: readonly SessionEvent[]): boolean {
    let isCurrent = true;
    for (const event of events) {
      if (event.erased) this.#erased.add(event.seq);
      else if (event.type !== 'content.erased') continue;
      if (event.type === 'content.erased') {
        this.#last = event.seq;
        if (event.seq > this.known && event.data.events.some(({ seq }) => !this.#erased.has(seq))) isCurrent = false;
      }
      this.#events.add({ seq: event.seq, type: event.type, data: JSON.stringify(event.data), salt: event.erased ? null : '' });
    }
    return isCurrent;
  }

  /** Throws `log_tampered` when an event was erased without an erasure that says so, or has what was taken from it. */
  end(): void {
    const fault = this.#events.firstFault();
    if (fault) throw logTampered(this.sessionId, { seq: fault.seq, kind: 'erasure' });
  }
}
