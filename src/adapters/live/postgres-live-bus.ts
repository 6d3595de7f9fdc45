import { PostgresWire } from './postgres-transport.js';
import { SharedLiveBus, type LiveBusOptions } from './shared-live-bus.js';
import type { WireOptions } from './transport.js';

/** Live updates over LISTEN and NOTIFY. `url`: any role that may connect; content of deltas passes through the server's memory only. */
export class PostgresLiveBus extends SharedLiveBus {
  constructor(options: WireOptions & LiveBusOptions) {
    super(new PostgresWire(options), options);
  }
}
