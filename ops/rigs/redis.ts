import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { RedisDeployment } from '../../test/support/redis-deployment.js';
import { eventually } from './eventually.js';
import type { Fault, Rig, Surroundings } from './rig.js';

/** The tag by which all keys of the queue are in one slot. */
const QUEUE = '{verbatim}';

export const sentinel: Rig = {
  name: 'sentinel',
  about: 'the queue on a Redis with a sentinel: its primary freezes and comes back, and is killed',
  programs: ['redis-server'],
  start: () =>
    withRedis(RedisDeployment.sentinel(), (redis) => {
      const replaced = (old: number) => eventually('the sentinel has replaced the primary', async () => (await redis.primary()) !== old);
      let frozen = 0;
      return [
        {
          name: 'the primary freezes',
          isShort: false,
          inject: async () => {
            frozen = await redis.primary();
            redis.signal(frozen, 'SIGSTOP');
            await replaced(frozen);
          },
          repair: async () => {
            redis.signal(frozen, 'SIGCONT');
            await eventually('it follows', () => redis.isFollowing(frozen));
          },
        },
        {
          name: 'the primary is killed',
          isShort: true,
          inject: async () => {
            const old = await redis.primary();
            await redis.kill(old);
            await replaced(old);
          },
        },
      ];
    }),
};

export const cluster: Rig = {
  name: 'cluster',
  about: 'the queue on a Redis Cluster of three primaries and three replicas: the node of the queue is killed, and one without it',
  programs: ['redis-server'],
  start: () =>
    withRedis(RedisDeployment.cluster({ hasReplicas: true }), (redis) => [
      {
        name: 'a node without the queue is killed',
        isShort: false,
        inject: async () => {
          const owner = await redis.ownerOf(QUEUE, redis.ports[0]!);
          await redis.kill(redis.ports.find((port) => port !== owner)!);
        },
      },
      {
        name: 'the node of the queue is killed',
        isShort: true,
        inject: async () => {
          const old = await redis.ownerOf(QUEUE, redis.ports[0]!);
          await redis.kill(old);
          const isReplaced = async () => ![0, old].includes(await redis.ownerOf(QUEUE, redis.ports[0]!));
          await eventually('a replica has taken over', isReplaced);
        },
      },
    ]),
};

/** An api and two workers, which share nothing but the database and Redis. */
async function withRedis(starting: Promise<RedisDeployment>, faultsOf: (redis: RedisDeployment) => readonly Fault[]): Promise<Surroundings> {
  const redis = await starting;
  const database = await startEmbeddedPostgres({ database: 'rig' });
  return {
    servers: ['api', 'api', 'worker'].map((ROLE) => ({ ROLE, REDIS_URL: redis.url, TURN_DISPATCH: 'queue' })),
    databaseUrl: database.url,
    faults: faultsOf(redis),
    stop: async () => {
      await redis.stop();
      await database.stop();
    },
  };
}
