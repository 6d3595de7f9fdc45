import { PostgresTransport } from './postgres-transport.js';
import { SharedLiveBus, type LiveBusOptions } from './shared-live-bus.js';
import type { TransportOptions } from './transport.js';

/** Live updates over LISTEN and NOTIFY. `url`: any role that may connect; content of deltas passes through the server's memory only. */
export class PostgresLiveBus extends SharedLiveBus {
  constructor(options: TransportOptions & LiveBusOptions) {
    super(new PostgresTransport(options), options);
  }
}
