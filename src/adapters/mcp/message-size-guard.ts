/** More messages than this within a second serve nobody: each costs the processor, and takes it from everybody else. */
const MESSAGES_A_SECOND = 2_000;

const SECOND_MS = 1_000;

/** Counts what a server sends, and says when it is too much. */
export class MessageSizeGuard {
  #since = 0;
  #messages = 0;
  #bytes = 0;

  constructor(
    /** In a second. */
    private readonly maxBytes: number,
    private readonly onFlood: () => void,
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
    if (this.#messages > MESSAGES_A_SECOND || this.#bytes > this.maxBytes) this.onFlood();
  }
}
