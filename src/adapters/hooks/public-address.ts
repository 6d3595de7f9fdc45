import { lookup as systemLookup, promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address that a name stands for. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses of a host name. Rejects when there are none. Once `signal` is aborted, nobody waits for them any more. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly Address[]>;

/** Public by its number, but the inside of a cloud all the same: the platform's own address on Azure. */
const INSIDE: ReadonlySet<string> = new Set(['168.63.129.16']);

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether the address belongs to somebody on the open internet: not to this host, its network, its cloud, nor to any range that leads there by a detour
 * (mapped, translated and tunnelled addresses). Ranges: the special-purpose address registries of IANA.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || INSIDE.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** The address that a URL's host is itself, if it is none to look up. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

/** As the system resolves names, hosts file and all. */
export const resolveAsSystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found as readonly Address[])));
  });

/** Asks name servers only, and without holding one of the few threads that files are read on: a slow name server delays nobody else. */
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
