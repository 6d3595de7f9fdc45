import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { RedisLiveBus } from '../../src/adapters/live/redis-live-bus.js';
import { REDIS_CLIENT_NAME } from '../../src/adapters/live/redis-transport.js';
import { describeWithRedis } from '../support/needs.js';
import { liveBusContract, type LiveBusServer } from './live-bus.contract.js';

describeWithRedis('the live bus on Redis', (url) => {
  liveBusContract(async (): Promise<LiveBusServer> => {
    const channel = randomUUID();
    const admin = new Redis(url);
    return {
      open: (options) => new RedisLiveBus({ url, channel, ...options }),
      killConnections: async (which) => {
        const publishes = (line: string) => / sub=0 /.test(line);
        for (const line of String(await admin.call('CLIENT', 'LIST')).split('\n')) {
          const id = (which === 'all' || publishes(line)) && / name=([^ ]*) /.exec(line)?.[1] === REDIS_CLIENT_NAME && /^id=(\d+)/.exec(line)?.[1];
          if (id) await admin.call('CLIENT', 'KILL', 'ID', id);
        }
      },
      close: async () => admin.disconnect(),
    };
  });
});
