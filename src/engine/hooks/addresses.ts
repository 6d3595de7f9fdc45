import { lookup as systemLookup, promises as dns } from 'node:dns';
import { isIP } from 'node:net';

/** An address of a host name. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name. Rejects when it has no address. `signal` cancels the query where that is possible. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly Address[]>;

/** The host of a URL that is an IP literal; null for a name. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

/** Resolves as the system does, including the hosts file. */
export const resolveAsSystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found as readonly Address[])));
  });

/** Queries name servers only, without occupying a thread of the libuv pool: a slow name server delays no file access. */
export function resolveByNameServer(timeoutMs: number): Resolve {
  return async (hostname, signal) => {
    const resolver = new dns.Resolver({ timeout: timeoutMs, tries: 1 });
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found: Address[] = [];
    if (four.status === 'fulfilled') found.push(...four.value.map((address) => ({ address, family: 4 as const })));
    if (six.status === 'fulfilled') found.push(...six.value.map((address) => ({ address, family: 6 as const })));
    if (found.length === 0) throw four.status === 'rejected' ? four.reason : Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    return found;
  };
}
