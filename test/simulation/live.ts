import { LocalFanout } from '../../src/platform/live/local-fanout.js';
import { LiveBus, type LiveSignal } from '../../src/ports/index.js';
import type { SimulatedProcess } from './process.js';

/** Hints between processes: delayed and doubled, and lost or late while faults are on. */
export class SimulatedLive extends LiveBus {
  #local = new LocalFanout((problem, error) => this.process.world.violations.push(`${problem}: ${String(error)}`));

  constructor(private readonly process: SimulatedProcess) {
    super();
    process.world.buses.add(this);
  }

  override publish(signal: LiveSignal): void {
    this.#local.deliver(signal);
    const { events: _, ...hint } = signal as Extract<LiveSignal, { kind: 'advanced' }>;
    this.#send((other) => other.#local.deliver(hint as LiveSignal));
  }

  override notify(): void {
    this.#local.notify();
  }

  override get rank(): number {
    return [...this.process.world.buses][0] === this ? 0 : 1;
  }

  override subscribe(sessionId: string, listener: (signal: LiveSignal) => void): () => void {
    return this.#local.subscribe(sessionId, listener);
  }

  override onNotify(listener: () => void): () => void {
    return this.#local.onNotify(listener);
  }

  get subscriptions(): number {
    return this.#local.size;
  }

  override ping(): Promise<void> {
    return Promise.resolve();
  }

  disconnect(): void {
    this.process.world.buses.delete(this);
    this.#local = new LocalFanout(() => undefined);
  }

  #send(receive: (other: SimulatedLive) => void): void {
    const { scheduler, network, buses } = this.process.world;
    for (const other of buses) {
      if (other === this || network.losesHint(other.process.name)) continue;
      const copies = network.doubles() ? 2 : 1;
      const arrive = (): void => {
        if (buses.has(other)) receive(other);
      };
      for (let copy = 0; copy < copies; copy += 1)
        scheduler.after(network.latency(other.process.name), () => (other.process.status === 'up' ? arrive() : void other.process.alive().then(arrive)));
    }
  }
}
