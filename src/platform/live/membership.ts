import { performance } from 'node:perf_hooks';

interface Peer {
  readonly heardAt: number;
  /** Both unknown until it says so. */
  readonly isWorker: boolean;
  readonly buckets: number | null;
  /** Heartbeats until it is heard again at the latest. Null: it did not say; then it expects as much of others as an older build, to hear every process with each heartbeat. */
  readonly pace: number | null;
}

/** A process that does not lead says that it listens with every so many heartbeats: what others need to know soon, they hear from the one that leads. */
const SLOW_PACE = 6;

/**
 * Tracks whether another process listens, so that a single process sends nothing, and which of them leads: of the workers that hear each other, the one with the smallest
 * id. Every process sends `hello` when it starts to listen (which all others answer with `here`), `here` at its pace, and `bye` when it stops. Until a full
 * heartbeat after its own `hello` a process counts as not alone.
 *
 * The one that leads says `here` with each heartbeat, so that its end is noticed and all others hear that they still receive; the others do so with every sixth, while all
 * processes state their pace. What a process that was alone published before it had the `hello` of another was not sent: its `here`
 * says so, and the new one reads it from the log. A peer that sends nothing for `HEARTBEATS_TO_EXPIRE` times its pace is removed; until it is heard again it relies on its own
 * polling.
 */
export class Membership {
  static readonly HEARTBEATS_TO_EXPIRE = 3;

  readonly #peers = new Map<string, Peer>();
  #lastHeard = performance.now();
  #statedPace: number | null = null;
  #sinceStated = 0;
  #heartbeatsSinceListening = 0;
  #listening = false;
  #aloneUntil = -Infinity;

  constructor(
    private readonly self: { readonly id: string; readonly isWorker: boolean; readonly buckets: number },
    private readonly heartbeatMs: number,
  ) {}

  get alone(): boolean {
    return this.#listening && this.#heartbeatsSinceListening > 1 && this.#peers.size === 0;
  }

  /** Also while it hears nothing: then it cannot know who else does the work. */
  get leads(): boolean {
    return this.rank === 0;
  }

  /** How many others would lead before this process. */
  get rank(): number {
    if (!this.#listening) return 0;
    let before = 0;
    for (const [id, { isWorker }] of this.#peers) if (isWorker && (!this.self.isWorker || id < this.self.id)) before += 1;
    return before;
  }

  /** Heartbeats until this process says again that it listens; it has to say so now. */
  statePace(): number {
    this.#sinceStated = 0;
    return (this.#statedPace = this.#pace);
  }

  get #pace(): number {
    if (this.leads) return 1;
    for (const { pace } of this.#peers.values()) if (pace === null) return 1;
    return SLOW_PACE;
  }

  recordMessage(sender: string): void {
    this.#lastHeard = performance.now();
    if (sender === this.self.id) return;
    if (this.alone) this.#aloneUntil = performance.now();
    this.#record(sender, this.#peers.get(sender) ?? { isWorker: false, buckets: null, pace: null });
  }

  recordTerms(sender: string, isWorker: boolean, buckets: number, pace: number | null): void {
    this.#record(sender, { isWorker, buckets, pace });
  }

  /** Whether it was alone when another process that is new now may have read from the log: several may start at once, and only the first one finds it alone. */
  get wasAlone(): boolean {
    return performance.now() - this.#aloneUntil < Membership.HEARTBEATS_TO_EXPIRE * this.heartbeatMs;
  }

  /** The numbers of buckets that these processes use: one, unless the setting is being changed. */
  get buckets(): ReadonlySet<number> {
    const all = new Set([this.self.buckets]);
    for (const { buckets } of this.#peers.values()) if (buckets !== null) all.add(buckets);
    return all;
  }

  #record(sender: string, { isWorker, buckets, pace }: Omit<Peer, 'heardAt'>): void {
    this.#peers.set(sender, { heardAt: performance.now(), isWorker, buckets, pace });
  }

  leave(sender: string): void {
    this.#peers.delete(sender);
  }

  startListening(): void {
    this.#listening = true;
    this.#heartbeatsSinceListening = 0;
    this.#statedPace = null;
    this.#lastHeard = performance.now();
  }

  stopListening(): void {
    this.#listening = false;
  }

  /**
   * Called once per heartbeat. `isReceivingStale`: this process receives nothing, not even its own messages, so its connection is dead without an error. `isDue`: it has to say that it listens,
   * because its pace asks for it or has changed, or to hear itself when it hears no other. A process that is alone says so less often, only to notice that it receives nothing.
   */
  tick(): { readonly isReceivingStale: boolean; readonly isDue: boolean } {
    this.#heartbeatsSinceListening += 1;
    this.#sinceStated += 1;
    const now = performance.now();
    const longestMs = Membership.HEARTBEATS_TO_EXPIRE * this.heartbeatMs;
    for (const [id, { heardAt, pace }] of this.#peers) if (heardAt < now - longestMs * (pace ?? 1)) this.#peers.delete(id);
    const isReceivingStale = this.#listening && this.#lastHeard < now - longestMs;
    if (this.alone) return { isReceivingStale, isDue: this.#heartbeatsSinceListening % 2 === 0 };
    const isDue = this.#pace !== this.#statedPace || this.#sinceStated >= this.#pace || this.#lastHeard < now - 1.5 * this.heartbeatMs;
    return { isReceivingStale, isDue };
  }
}
