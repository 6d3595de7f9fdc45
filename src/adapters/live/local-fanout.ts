import type { LiveSignal } from '../../core/ports.js';

type Listener = (signal: LiveSignal) => void;

/**
 * Hands signals to the listeners of this process, at once and in order. A listener that throws is reported and harms
 * neither the publisher nor the other listeners.
 */
export class LocalFanout {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #nudged = new Set<() => void>();

  constructor(private readonly report: (problem: string, error: unknown) => void) {}

  /** Listeners that are subscribed now. */
  get size(): number {
    let size = this.#nudged.size;
    for (const listeners of this.#listeners.values()) size += listeners.size;
    return size;
  }

  /** Every call is a subscription of its own, also with the same function; ending one twice is harmless. */
  subscribe(sessionId: string, listener: Listener): () => void {
    const own: Listener = (signal) => listener(signal);
    const listeners = this.#listeners.get(sessionId) ?? new Set();
    this.#listeners.set(sessionId, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(sessionId) === listeners) this.#listeners.delete(sessionId);
    };
  }

  onNudge(listener: () => void): () => void {
    const own = (): void => listener();
    this.#nudged.add(own);
    return () => void this.#nudged.delete(own);
  }

  deliver(signal: LiveSignal): void {
    // A copy: a listener may end its subscription and begin another.
    for (const listener of Array.from(this.#listeners.get(signal.sessionId) ?? [])) this.#call(() => listener(signal));
  }

  nudge(): void {
    for (const listener of Array.from(this.#nudged)) this.#call(listener);
  }

  /** After an unknown number of signals went by unheard: everybody looks. */
  wake(): void {
    for (const sessionId of Array.from(this.#listeners.keys())) this.deliver({ kind: 'advanced', sessionId, seq: 0 });
    this.nudge();
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.report('A listener of live updates failed', error);
    }
  }
}
