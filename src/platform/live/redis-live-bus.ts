import type { RedisPlace } from '../redis/open-redis.js';
import { RedisTransport } from './redis-transport.js';
import { SharedLiveBus, type LiveBusOptions } from './shared-live-bus.js';
import type { TransportOptions } from './transport.js';

/** Live updates over Redis pub/sub. Channels are shared by all databases of a Redis server: two deployments on one server need different channels. */
export class RedisLiveBus extends SharedLiveBus {
  constructor(options: TransportOptions & RedisPlace & LiveBusOptions) {
    super(new RedisTransport(options), options);
  }
}
