import { performance } from 'node:perf_hooks';

/**
 * Tracks whether another process listens, so that a single process sends nothing. Every process sends `hello` when it starts to listen (which all others
 * answer with `here`), `here` with each heartbeat, and `bye` when it stops. Until a full heartbeat after its own `hello` a process counts as not alone.
 *
 * A new process reads from the log what was published before its `hello`. A peer that sends nothing for `HEARTBEATS_TO_EXPIRE` heartbeats is removed; until it is
 * heard again it relies on its own polling.
 */
export class Membership {
  static readonly HEARTBEATS_TO_EXPIRE = 3;

  readonly #heard = new Map<string, number>();
  #ownLastHeard = performance.now();
  #heartbeatsSinceListening = 0;
  #listening = false;

  constructor(
    private readonly self: string,
    private readonly heartbeatMs: number,
  ) {}

  get alone(): boolean {
    return this.#listening && this.#heartbeatsSinceListening > 1 && this.#heard.size === 0;
  }

  recordMessage(sender: string): void {
    if (sender === this.self) this.#ownLastHeard = performance.now();
    else this.#heard.set(sender, performance.now());
  }

  leave(sender: string): void {
    this.#heard.delete(sender);
  }

  startListening(): void {
    this.#listening = true;
    this.#heartbeatsSinceListening = 0;
    this.#ownLastHeard = performance.now();
  }

  stopListening(): void {
    this.#listening = false;
  }

  /** Called once per heartbeat. `deaf`: this process no longer receives its own messages, so its connection is dead without an error. */
  tick(): { readonly deaf: boolean } {
    this.#heartbeatsSinceListening += 1;
    const expired = performance.now() - Membership.HEARTBEATS_TO_EXPIRE * this.heartbeatMs;
    for (const [sender, heardAt] of this.#heard) if (heardAt < expired) this.#heard.delete(sender);
    return { deaf: this.#listening && this.#ownLastHeard < expired };
  }
}
