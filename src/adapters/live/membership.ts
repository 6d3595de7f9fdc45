import { performance } from 'node:perf_hooks';

/**
 * Knows whether another process listens, so that a process on its own leaves the database alone. Every process says
 * `hello` when it begins to listen (all who hear it answer `here`), `here` with every beat, and `bye` when it leaves.
 * Until a full beat after its own hello it knows nothing and counts as not alone.
 *
 * A newcomer is heard with its hello; what was published before that it reads from the log. A peer that cannot speak
 * for `BEATS_TO_FADE` beats fades, and lives on its own polling until it is heard again.
 */
export class Membership {
  static readonly BEATS_TO_FADE = 3;

  readonly #heard = new Map<string, number>();
  #ownVoice = performance.now();
  #beatsSinceListening = 0;
  #listening = false;

  constructor(
    private readonly self: string,
    private readonly beatMs: number,
  ) {}

  get alone(): boolean {
    return this.#listening && this.#beatsSinceListening > 1 && this.#heard.size === 0;
  }

  hear(sender: string): void {
    if (sender === this.self) this.#ownVoice = performance.now();
    else this.#heard.set(sender, performance.now());
  }

  leave(sender: string): void {
    this.#heard.delete(sender);
  }

  startListening(): void {
    this.#listening = true;
    this.#beatsSinceListening = 0;
    this.#ownVoice = performance.now();
  }

  stopListening(): void {
    this.#listening = false;
  }

  /** Once per beat. Answers whether this process no longer hears itself: its connection is dead without saying so. */
  beat(): { readonly deaf: boolean } {
    this.#beatsSinceListening += 1;
    const faded = performance.now() - Membership.BEATS_TO_FADE * this.beatMs;
    for (const [sender, heardAt] of this.#heard) if (heardAt < faded) this.#heard.delete(sender);
    return { deaf: this.#listening && this.#ownVoice < faded };
  }
}
