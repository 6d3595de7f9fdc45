/** Parsing more messages than this would starve the event loop. */
const MESSAGES_PER_SECOND = 2_000;

const SECOND_MS = 1_000;

/** Limits messages and bytes per second of one server. */
export class MessageSizeGuard {
  #since = 0;
  #messages = 0;
  #bytes = 0;

  constructor(
    /** Per second. */
    private readonly maxBytes: number,
    private readonly onExceeded: () => void,
  ) {}

  count(messages: number, bytes: number): void {
    const now = performance.now();
    if (now - this.#since > SECOND_MS) {
      this.#since = now;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages += messages;
    this.#bytes += bytes;
    if (this.#messages > MESSAGES_PER_SECOND || this.#bytes > this.maxBytes) this.onExceeded();
  }
}
