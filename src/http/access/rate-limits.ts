import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Cluster, Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Principal } from '../../../packages/protocol/access/principal.js';
import { openRedis, type RedisPlace } from '../../platform/redis/open-redis.js';

type Limiter = Pick<RateLimiterMemory, 'consume'>;

/** Requests per minute of each user, and wrong credentials per minute of each address. Shared by all processes when there is a Redis. */
@Injectable()
export class RateLimits implements OnModuleInit, OnApplicationShutdown {
  readonly #redis: Redis | Cluster | null;
  readonly #requests: Limiter;
  readonly #failures: Limiter;

  constructor(
    @Inject(SETTINGS) settings: Pick<
      Settings,
      'RATE_LIMIT_PER_MINUTE' | 'AUTH_FAILURES_PER_MINUTE' | 'RATE_LIMIT_REDIS_TIMEOUT_MS' | 'REDIS_URL' | 'REDIS_CA_FILE'
    >,
  ) {
    this.#redis =
      settings.REDIS_URL === undefined ? null : connect({ url: settings.REDIS_URL, caFile: settings.REDIS_CA_FILE }, settings.RATE_LIMIT_REDIS_TIMEOUT_MS);
    this.#requests = limiter('requests', settings.RATE_LIMIT_PER_MINUTE, this.#redis);
    this.#failures = limiter('auth-failures', settings.AUTH_FAILURES_PER_MINUTE, this.#redis);
  }

  /** Waits until it is known whether Redis answers, so that the first requests are counted where the later ones are. */
  async onModuleInit(): Promise<void> {
    const redis = this.#redis;
    if (redis === null || redis.status === 'ready') return;
    await new Promise<void>((resolve) => redis.once('ready', resolve).once('error', () => resolve()));
  }

  async countRequest({ tenantId, userId }: Principal): Promise<void> {
    await consume(this.#requests, `${tenantId}/${userId}`);
  }

  /** Throws once an address has guessed too often; those with right credentials are never held up by it. */
  async countFailure(address: string): Promise<void> {
    await consume(this.#failures, address);
  }

  async onApplicationShutdown(): Promise<void> {
    this.#redis?.disconnect();
  }
}

async function consume(limit: Limiter, key: string): Promise<void> {
  try {
    await limit.consume(key);
  } catch (rejected) {
    if (!(rejected instanceof RateLimiterRes)) throw rejected;
    const retryAfter = Math.max(1, Math.ceil(rejected.msBeforeNext / 1000));
    throw new DomainError('rate_limited', `Too many requests; try again in ${retryAfter} s.`, [], { retryAfter });
  }
}

function limiter(name: string, points: number, redis: Redis | Cluster | null): Limiter {
  const memory = new RateLimiterMemory({ keyPrefix: name, points, duration: 60 });
  return redis === null ? memory : new RateLimiterRedis({ storeClient: redis, keyPrefix: `verbatim:${name}`, points, duration: 60, insuranceLimiter: memory });
}

/** The least time for a new connection, which no request waits for. */
const CONNECT_MS = 2_000;

/** A Redis that is down or silent must not delay requests: commands fail within `answerMs`, and the memory limiter counts instead. */
function connect(place: RedisPlace, answerMs: number): Redis | Cluster {
  const redis = openRedis(place, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    disconnectTimeout: 100,
    connectTimeout: Math.max(CONNECT_MS, answerMs),
    commandTimeout: answerMs,
    socketTimeout: answerMs,
    autoResendUnfulfilledCommands: false,
  });
  redis.on('error', () => {});
  return redis;
}
