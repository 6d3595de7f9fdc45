import { LiveBus, type LiveSignal } from '../../src/core/ports.js';
import type { SimulatedProcess } from './process.js';

/** Hints between processes: delayed, and lost, doubled or reordered while faults are on. */
export class SimulatedLive extends LiveBus {
  readonly #subscribers = new Map<string, Set<(signal: LiveSignal) => void>>();
  readonly #nudged = new Set<() => void>();

  constructor(private readonly process: SimulatedProcess) {
    super();
    process.world.buses.add(this);
  }

  override publish(signal: LiveSignal): void {
    this.#deliver(signal);
    const { events: _, ...hint } = signal as Extract<LiveSignal, { kind: 'advanced' }>;
    this.#send((other) => other.#deliver(hint as LiveSignal));
  }

  override nudge(): void {
    for (const listener of this.#nudged) listener();
  }

  override get leads(): boolean {
    return [...this.process.world.buses][0] === this;
  }

  override subscribe(sessionId: string, listener: (signal: LiveSignal) => void): () => void {
    const known = this.#subscribers.get(sessionId) ?? new Set();
    this.#subscribers.set(sessionId, known.add(listener));
    return () => known.delete(listener);
  }

  override onNudge(listener: () => void): () => void {
    this.#nudged.add(listener);
    return () => this.#nudged.delete(listener);
  }

  override ping(): Promise<void> {
    return Promise.resolve();
  }

  disconnect(): void {
    this.process.world.buses.delete(this);
    this.#subscribers.clear();
    this.#nudged.clear();
  }

  #deliver(signal: LiveSignal): void {
    for (const listener of [...(this.#subscribers.get(signal.sessionId) ?? [])]) listener(signal);
  }

  #send(receive: (other: SimulatedLive) => void): void {
    const { scheduler, network, buses } = this.process.world;
    for (const other of buses) {
      if (other === this || network.loses()) continue;
      const copies = network.loses() ? 2 : 1;
      const arrive = (): void => {
        if (buses.has(other)) receive(other);
      };
      for (let copy = 0; copy < copies; copy += 1)
        scheduler.after(network.latency(), () => (other.process.status === 'up' ? arrive() : void other.process.alive().then(arrive)));
    }
  }
}
