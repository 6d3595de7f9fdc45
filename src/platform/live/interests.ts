import type { Transport } from './transport.js';

interface Interest {
  holders: number;
  /** Heartbeats since it had its last holder. */
  idle: number;
  /** Resolves when the topic is received, or will be by the next connection. */
  readonly received: Promise<void>;
}

/** Heartbeats for which a topic without holders is still received: readers come and go. */
const IDLE_HEARTBEATS = 2;

/** The topics that this process receives: those that a reader here holds, and for some seconds those that a reader held. */
export class Interests {
  readonly #topics = new Map<string, Interest>();

  /** `arrived`: a topic is received from now on; what was sent to it before may have been missed. */
  constructor(
    private readonly transport: Pick<Transport, 'add' | 'remove'>,
    private readonly arrived: (topic: string) => void,
  ) {}

  /** The number of topics. */
  get size(): number {
    return this.#topics.size;
  }

  /** Returns the function that lets it go, which is idempotent. */
  hold(topic: string): () => void {
    const interest = this.#topics.get(topic) ?? this.#add(topic);
    interest.holders += 1;
    let isHeld = true;
    return () => {
      if (isHeld) interest.holders -= 1;
      isHeld = false;
    };
  }

  received(topic: string): Promise<void> {
    return this.#topics.get(topic)?.received ?? Promise.resolve();
  }

  /** Once per heartbeat. */
  tick(): void {
    for (const [topic, interest] of this.#topics) {
      interest.idle = interest.holders > 0 ? 0 : interest.idle + 1;
      if (interest.idle <= IDLE_HEARTBEATS) continue;
      this.#topics.delete(topic);
      this.transport.remove(topic);
    }
  }

  #add(topic: string): Interest {
    const received = this.transport.add(topic).then((isNew) => {
      if (isNew) this.arrived(topic);
    });
    const interest = { holders: 0, idle: 0, received };
    this.#topics.set(topic, interest);
    return interest;
  }
}
