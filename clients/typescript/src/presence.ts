import type { PresenceEvent } from './api.js';

/** Someone who reads a conversation, or writes in it, now. */
export type Present = Pick<PresenceEvent['data'], 'userId' | 'name'> & { readonly state: 'reading' | 'typing' };

/** However much the clocks of the server and this machine differ, an announcement counts for at least and at most so long. */
const SHORTEST_MS = 5_000;
const LONGEST_MS = 120_000;

/** Who is present, by what they have announced. An announcement that is not repeated ends by itself. */
export class PresenceList {
  #people: readonly Present[] = [];
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly changed: () => void) {}

  /** In the order in which they came. */
  get people(): readonly Present[] {
    return this.#people;
  }

  /** `changed` is called when the list is another one now. */
  apply({ userId, name, state, expiresAt }: PresenceEvent['data']): void {
    clearTimeout(this.#timers.get(userId));
    this.#timers.delete(userId);
    if (state === 'left') return this.#remove(userId);
    const lasts = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Date.parse(expiresAt) - Date.now()));
    this.#timers.set(
      userId,
      setTimeout(() => this.#remove(userId), lasts),
    );
    const at = this.#people.findIndex((one) => one.userId === userId);
    if (at >= 0 && this.#people[at]!.state === state) return;
    const person = { userId, name, state };
    this.#people = at < 0 ? [...this.#people, person] : this.#people.map((one, index) => (index === at ? person : one));
    this.changed();
  }

  clear(): void {
    this.#timers.forEach((timer) => clearTimeout(timer));
    this.#timers.clear();
    this.#people = [];
  }

  #remove(userId: string): void {
    const rest = this.#people.filter((one) => one.userId !== userId);
    if (rest.length === this.#people.length) return;
    this.#people = rest;
    this.changed();
  }
}
