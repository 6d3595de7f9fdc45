import { type Redis, type RedisOptions } from 'ioredis';
import { openPubSub, openRedis, type RedisPlace } from './open-redis.js';

/** Redis answers, and waiting does not change the answer: the address, the login or its rights are wrong. */
export class UnusableRedis extends Error {
  override readonly name = 'UnusableRedis';
}

/** Answers that stay the same until an operator changes something. */
const PERMANENT =
  /CROSSSLOT|MOVED|NOPERM|NOAUTH|WRONGPASS|invalid (?:username-)?password|unknown command|cluster support disabled|DB index is out of range|SELECT is not allowed|certificate|self.signed/i;

const SCRIPT = `redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000) return redis.call('GET', KEYS[1])`;

/**
 * Does on separate connections what queue, limits and live updates do: scripts with keys in several slots, pub/sub. Rejects with what Redis said about the first that fails: with an UnusableRedis where
 * waiting does not help.
 */
export async function proveRedis(place: RedisPlace, timeoutMs: number): Promise<void> {
  const failures: Error[] = [];
  const limits: RedisOptions = {
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    lazyConnect: true,
    enableOfflineQueue: false,
  };
  const clients = [openRedis(place, { ...limits, enableOfflineQueue: true }), openPubSub(place, limits), openPubSub(place, limits)] as const;
  for (const client of clients) client.on('error', (error: Error) => failures.push(error));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const [commands, subscriber, publisher] = clients;
    for (const key of ['{verbatim}:probe', 'verbatim:requests:probe']) await commands.eval(SCRIPT, 1, key, 'probe');
    await echo(subscriber, publisher, timeoutMs);
  } catch (error) {
    throw explained([...failures.flatMap(reasons), ...reasons(error)]);
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function echo(subscriber: Redis, publisher: Redis, timeoutMs: number): Promise<void> {
  const channel = 'verbatim:live:probe';
  const heard = new Promise<void>((resolve) => subscriber.on('message', () => resolve()));
  await subscriber.subscribe(channel);
  await publisher.publish(channel, 'probe');
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error('a published message did not arrive')), timeoutMs)));
  await Promise.race([heard, silence]).finally(() => clearTimeout(timer));
}

/** The messages of an error and of those that it was made of. */
function reasons(error: unknown): readonly string[] {
  const { message, lastNodeError, errors = [] } = error as { message?: string; lastNodeError?: unknown; errors?: readonly unknown[] };
  return [...(lastNodeError ? reasons(lastNodeError) : []), ...errors.flatMap(reasons), ...(message ? [message] : [])];
}

function explained(messages: readonly string[]): Error {
  const permanent = messages.find((message) => PERMANENT.test(message));
  if (permanent === undefined) return new Error(messages[0] ?? 'no answer');
  const hint = /MOVED|CROSSSLOT/.test(permanent) ? ' It is a node of a Redis Cluster: set REDIS_URL to redis+cluster://.' : '';
  return new UnusableRedis(`Redis does not do what this server needs: ${permanent}.${hint}`);
}
