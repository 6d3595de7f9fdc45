import { ERASURES, erasedSession, EVERY_SESSION, type LiveSignal, unfinishedSession } from '../../ports/index.js';

type Listener = (signal: LiveSignal) => void;

/** Delivers signals to the listeners of this process, synchronously and in order. An error of a listener is reported and affects nothing else. */
export class LocalFanout {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #notifyListeners = new Set<() => void>();

  constructor(private readonly report: (problem: string, error: unknown) => void) {}

  /** The number of current subscriptions. */
  get size(): number {
    let size = this.#notifyListeners.size;
    for (const listeners of this.#listeners.values()) size += listeners.size;
    return size;
  }

  /** Each call is a separate subscription, also with the same function. Unsubscribing is idempotent. */
  subscribe(sessionId: string, listener: Listener): () => void {
    const own: Listener = (signal) => listener(signal);
    const listeners = this.#listeners.get(sessionId) ?? new Set();
    this.#listeners.set(sessionId, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(sessionId) === listeners) this.#listeners.delete(sessionId);
    };
  }

  onNotify(listener: () => void): () => void {
    const own = (): void => listener();
    this.#notifyListeners.add(own);
    return () => void this.#notifyListeners.delete(own);
  }

  deliver(signal: LiveSignal): void {
    // A copy, since a listener may unsubscribe and subscribe again.
    for (const listener of Array.from(this.#listeners.get(signal.sessionId) ?? [])) this.#call(() => listener(signal));
    if (signal.kind !== 'advanced' || signal.sessionId === EVERY_SESSION || signal.sessionId === ERASURES || unfinishedSession(signal.sessionId)) return;
    this.#listeners.get(erasedSession(signal.sessionId) ? ERASURES : EVERY_SESSION)?.forEach((listener) => this.#call(() => listener(signal)));
  }

  notify(): void {
    for (const listener of Array.from(this.#notifyListeners)) this.#call(listener);
  }

  /** After an unknown number of missed signals: the listeners of these channels get a hint to check. */
  wake(isMissed: (channel: string) => boolean = () => true): void {
    for (const channel of Array.from(this.#listeners.keys()).filter(isMissed)) {
      for (const listener of Array.from(this.#listeners.get(channel) ?? [])) this.#call(() => listener({ kind: 'advanced', sessionId: channel, seq: 0 }));
    }
  }

  /** Some log has grown. */
  grown(): void {
    this.#listeners.get(EVERY_SESSION)?.forEach((listener) => this.#call(() => listener({ kind: 'advanced', sessionId: EVERY_SESSION, seq: 0 })));
  }

  has(channel: string): boolean {
    return this.#listeners.has(channel);
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.report('A listener of live updates failed', error);
    }
  }
}
