import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { RedisLiveBus } from '../../src/platform/live/redis-live-bus.js';
import { REDIS_CLIENT_NAME } from '../../src/platform/live/redis-transport.js';
import { describeWithRedis } from '../support/needs.js';
import { databaseOf, killClients } from '../support/redis-clients.js';
import { liveBusContract, type LiveBusServer } from './live-bus.contract.js';

/** No other suite uses it: its connections are killed. */
const DATABASE = 14;

describeWithRedis('the live bus on Redis', (url) => {
  liveBusContract(async (): Promise<LiveBusServer> => {
    const channel = randomUUID();
    const own = databaseOf(url, DATABASE);
    const admin = new Redis(own);
    return {
      open: (options) => new RedisLiveBus({ url: own, channel, ...options }),
      killConnections: (which) =>
        killClients(admin, DATABASE, (line) => line.includes(` name=${REDIS_CLIENT_NAME} `) && (which === 'all' || line.includes(' sub=0 '))),
      close: async () => admin.disconnect(),
    };
  });
});
