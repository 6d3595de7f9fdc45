import { z } from 'zod';

/*
 * Addresses of Redis:
 *   redis://user:password@host:6379/0                           a server; rediss:// with TLS, as in all the others
 *   unix:///run/redis.sock?db=0&username=…&password=…           a server on this machine
 *   redis+sentinel://user:password@first:26379,second/name/0    the primary that the sentinels call `name`; ?sentinelUsername=…&sentinelPassword=… is the login to themselves
 *   redis+cluster://user:password@first:6379,second:6379        a cluster, of which these nodes are asked for the others
 */

interface Endpoint {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username?: string;
  readonly password?: string;
}

export type RedisAddress = Login & { readonly tls: boolean; readonly db: number } & (
    | { readonly kind: 'server'; readonly endpoint: Endpoint }
    | { readonly kind: 'socket'; readonly path: string }
    | { readonly kind: 'sentinel'; readonly sentinels: readonly Endpoint[]; readonly name: string; readonly sentinelLogin: Login }
    | { readonly kind: 'cluster'; readonly nodes: readonly Endpoint[] }
  );

const FORMS = 'redis://host:6379, rediss:// with TLS, unix:///path, redis+sentinel://host:26379,host:26379/name or redis+cluster://host:6379,host:6379';

const PARTS = /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(\?[^#]*)?$/;

/** Throws an Error that says what is wrong with the address, without its credentials. */
export function parseRedisUrl(url: string): RedisAddress {
  if (url.startsWith('unix:')) return parseSocket(url);
  const [, scheme, form = 'server', credentials = '', hosts = '', path = '', query = ''] = PARTS.exec(url) ?? [];
  if (scheme === undefined) throw new Error(`must be ${FORMS}`);
  const parameters = new URLSearchParams(query);
  const common = { tls: scheme === 'rediss', ...loginOf(credentials) };
  const [, first = '', second = ''] = path.split('/');
  if (form === 'sentinel') {
    if (first === '') throw new Error('names no primary: redis+sentinel://host:26379/name');
    const sentinelLogin = loginFrom(parameters, 'sentinelUsername', 'sentinelPassword');
    return { kind: 'sentinel', ...common, sentinels: endpoints(hosts, 26_379), name: decodeURIComponent(first), sentinelLogin, db: databaseOf(second) };
  }
  if (form === 'cluster') {
    if (databaseOf(first) !== 0) throw new Error('a cluster has no numbered databases');
    return { kind: 'cluster', ...common, nodes: endpoints(hosts, 6_379), db: 0 };
  }
  if (hosts === '') throw new Error('has no host; for a socket of this machine: unix:///path');
  const found = endpoints(hosts, 6_379);
  if (found.length > 1) throw new Error('has several hosts: redis+sentinel:// or redis+cluster:// say what they are');
  return { kind: 'server', ...common, endpoint: found[0]!, db: databaseOf(first || (parameters.get('db') ?? '')) };
}

function parseSocket(url: string): RedisAddress {
  const { host, pathname, searchParams } = new URL(url);
  if (host !== '' || pathname.length < 2) throw new Error('must have a path and no host: unix:///run/redis.sock');
  return {
    kind: 'socket',
    path: decodeURIComponent(pathname),
    tls: false,
    db: databaseOf(searchParams.get('db') ?? ''),
    ...loginFrom(searchParams, 'username', 'password'),
  };
}

function endpoints(hosts: string, defaultPort: number): readonly Endpoint[] {
  return hosts.split(',').map((text) => {
    if (text === '' || !URL.canParse(`tcp://${text}`)) throw new Error(`has hosts that cannot be read; there are ${FORMS}`);
    const { hostname, port } = new URL(`tcp://${text}`);
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
  });
}

function databaseOf(text: string): number {
  if (!/^\d*$/.test(text)) throw new Error('has a path that is not the number of a database; for a socket of this machine: unix:///path');
  return Number(text);
}

function loginOf(credentials: string): Login {
  const [username = '', ...password] = credentials.split(':');
  return login(decodeURIComponent(username), decodeURIComponent(password.join(':')));
}

const loginFrom = (parameters: URLSearchParams, username: string, password: string): Login =>
  login(parameters.get(username) ?? '', parameters.get(password) ?? '');

const login = (username: string, password: string): Login => ({ ...(username && { username }), ...(password && { password }) });

export const redisUrl = z.string().superRefine((url, context) => {
  try {
    parseRedisUrl(url);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});
