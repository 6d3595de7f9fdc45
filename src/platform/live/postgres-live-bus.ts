import { PostgresTransport, type PostgresTransportOptions } from './postgres-transport.js';
import { SharedLiveBus, type LiveBusOptions } from './shared-live-bus.js';

/** Live updates over LISTEN and NOTIFY. `url`: any role that may connect; content of deltas passes through the server's memory only. */
export class PostgresLiveBus extends SharedLiveBus {
  constructor(options: PostgresTransportOptions & LiveBusOptions) {
    super(new PostgresTransport(options), options);
  }
}
