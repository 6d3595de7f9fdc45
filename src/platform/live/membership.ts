import { performance } from 'node:perf_hooks';

interface Peer {
  readonly heardAt: number;
  /** Both unknown until it says so. */
  readonly isWorker: boolean;
  readonly buckets: number | null;
}

/**
 * Tracks whether another process listens, so that a single process sends nothing, and which of them leads: of the workers that hear each other, the one with the smallest
 * id. Every process sends `hello` when it starts to listen (which all others answer with `here`), `here` with each heartbeat, and `bye` when it stops. Until a full
 * heartbeat after its own `hello` a process counts as not alone.
 *
 * A new process reads from the log what was published before its `hello`. A peer that sends nothing for `HEARTBEATS_TO_EXPIRE` heartbeats is removed; until it is
 * heard again it relies on its own polling.
 */
export class Membership {
  static readonly HEARTBEATS_TO_EXPIRE = 3;

  readonly #peers = new Map<string, Peer>();
  #ownLastHeard = performance.now();
  #heartbeatsSinceListening = 0;
  #listening = false;

  constructor(
    private readonly self: { readonly id: string; readonly isWorker: boolean; readonly buckets: number },
    private readonly heartbeatMs: number,
  ) {}

  get alone(): boolean {
    return this.#listening && this.#heartbeatsSinceListening > 1 && this.#peers.size === 0;
  }

  /** Also while it hears nothing: then it cannot know who else does the work. */
  get leads(): boolean {
    if (!this.#listening) return true;
    for (const [id, { isWorker }] of this.#peers) if (isWorker && (!this.self.isWorker || id < this.self.id)) return false;
    return true;
  }

  recordMessage(sender: string): void {
    if (sender === this.self.id) this.#ownLastHeard = performance.now();
    else this.#record(sender, this.#peers.get(sender) ?? { isWorker: false, buckets: null });
  }

  recordTerms(sender: string, isWorker: boolean, buckets: number): void {
    this.#record(sender, { isWorker, buckets });
  }

  /** The numbers of buckets that these processes use: one, unless the setting is being changed. */
  get buckets(): ReadonlySet<number> {
    const all = new Set([this.self.buckets]);
    for (const { buckets } of this.#peers.values()) if (buckets !== null) all.add(buckets);
    return all;
  }

  #record(sender: string, terms: Omit<Peer, 'heardAt'>): void {
    this.#peers.set(sender, { heardAt: performance.now(), isWorker: terms.isWorker, buckets: terms.buckets });
  }

  leave(sender: string): void {
    this.#peers.delete(sender);
  }

  startListening(): void {
    this.#listening = true;
    this.#heartbeatsSinceListening = 0;
    this.#ownLastHeard = performance.now();
  }

  stopListening(): void {
    this.#listening = false;
  }

  /**
   * Called once per heartbeat. `isReceivingStale`: this process no longer receives its own messages, so its connection is dead without an error. `isDue`: it has to say that it listens;
   * a process that is alone says so less often, only to notice that it receives nothing.
   */
  tick(): { readonly isReceivingStale: boolean; readonly isDue: boolean } {
    this.#heartbeatsSinceListening += 1;
    const expired = performance.now() - Membership.HEARTBEATS_TO_EXPIRE * this.heartbeatMs;
    for (const [id, { heardAt }] of this.#peers) if (heardAt < expired) this.#peers.delete(id);
    return { isReceivingStale: this.#listening && this.#ownLastHeard < expired, isDue: !this.alone || this.#heartbeatsSinceListening % 2 === 0 };
  }
}
