import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisAddress } from '../config/redis-url.js';

/** Where a Redis is. */
export interface RedisPlace {
  /** See `src/platform/config/redis-url.ts`. */
  readonly url: string;
  /** A file with the certificates (PEM) of the authorities that its certificate is checked with; undefined: those of Node. */
  readonly caFile?: string | undefined;
}

/** The options of a connection to a server, or to the primary that sentinels name; null: it is a cluster. */
export function serverOptions(place: RedisPlace): RedisOptions | null {
  const address = parseRedisUrl(place.url);
  const common = commonOptions(address, place);
  switch (address.kind) {
    case 'server':
      return { ...common, ...address.endpoint, db: address.db };
    case 'socket':
      return { ...common, path: address.path, db: address.db };
    case 'sentinel': {
      const { username: sentinelUsername, password: sentinelPassword } = address.sentinelLogin;
      return {
        ...common,
        ...(sentinelUsername && { sentinelUsername }),
        ...(sentinelPassword && { sentinelPassword }),
        ...(common.tls && { sentinelTLS: common.tls, enableTLSForSentinelMode: true }),
        sentinels: [...address.sentinels],
        name: address.name,
        db: address.db,
      };
    }
    case 'cluster':
      return null;
  }
}

/** A client for commands, whatever kind of Redis it is. `options` are those of each connection. */
export function openRedis(place: RedisPlace, options: RedisOptions): Redis | Cluster {
  const server = serverOptions(place);
  return server === null ? openCluster(place, options) : new Redis({ ...server, ...options });
}

function openCluster(place: RedisPlace, options: RedisOptions): Cluster {
  const address = parseRedisUrl(place.url);
  if (address.kind !== 'cluster') throw new TypeError('not the address of a cluster');
  const { retryStrategy, lazyConnect = false, enableOfflineQueue = true, ...redisOptions } = options;
  const cluster: ClusterOptions = {
    redisOptions: { ...commonOptions(address, place), ...redisOptions },
    lazyConnect,
    enableOfflineQueue,
    ...(retryStrategy && { clusterRetryStrategy: (attempt: number) => retryStrategy(attempt) ?? null }),
    ...(redisOptions.connectTimeout === undefined ? {} : { slotsRefreshTimeout: redisOptions.connectTimeout }),
    // Certificates name hosts, not their addresses.
    ...(address.tls && { dnsLookup: (host: string, callback: (error: null, address: string) => void) => callback(null, host) }),
  };
  return new Cluster([...address.nodes], cluster);
}

/** One connection for pub/sub: to the server, or to any node of a cluster, which passes messages on to all; after a loss to the next one. */
export function openPubSub(place: RedisPlace, options: RedisOptions): Redis {
  const server = serverOptions(place);
  if (server !== null) return new Redis({ ...server, ...options });
  const address = parseRedisUrl(place.url) as RedisAddress & { kind: 'cluster' };
  return new Redis({ ...commonOptions(address, place), ...options, Connector: nodesInTurn(address.nodes) });
}

function commonOptions({ tls, username, password }: RedisAddress, { caFile }: RedisPlace): RedisOptions {
  return {
    ...(username && { username }),
    ...(password && { password }),
    disconnectTimeout: 100,
    // A replica, since a failover: the address may lead to the primary by now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...(tls && { tls: caFile === undefined ? {} : { ca: readFileSync(caFile) } }),
  };
}

function nodesInTurn(nodes: readonly { readonly host: string; readonly port: number }[]): NonNullable<RedisOptions['Connector']> {
  let attempts = 0;
  return class extends AbstractConnector {
    readonly #options: RedisOptions;

    constructor(options: unknown) {
      const given = options as RedisOptions;
      super(given.disconnectTimeout ?? 2_000);
      this.#options = given;
    }

    override async connect(): ReturnType<AbstractConnector['connect']> {
      this.connecting = true;
      const node = nodes[attempts % nodes.length]!;
      attempts += 1;
      const stream = this.#options.tls ? connectTls({ ...node, ...this.#options.tls }) : createConnection(node);
      stream.once('error', (error) => (this.firstError = error));
      this.stream = stream;
      return stream;
    }
  };
}
