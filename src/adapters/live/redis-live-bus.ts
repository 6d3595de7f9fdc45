import { RedisTransport } from './redis-transport.js';
import { SharedLiveBus, type LiveBusOptions } from './shared-live-bus.js';
import type { TransportOptions } from './transport.js';

/** Live updates over Redis pub/sub. Channels know no database numbers: two deployments on one server need different ones. */
export class RedisLiveBus extends SharedLiveBus {
  constructor(options: TransportOptions & LiveBusOptions) {
    super(new RedisTransport(options), options);
  }
}
