import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** The address is private, and this server must not call it. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
  readonly code = 'address_not_allowed';

  constructor(host: string) {
    super(`${host} is not at a public address; only public addresses may be called.`);
  }
}

/** Throws AddressError for a host that is a private IP literal. Names pass; `checkedLookup` checks the addresses they resolve to. */
export function requirePublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new AddressError(host);
}

/** Resolves a name for a socket, which connects to the addresses checked here. A name with one private address is rejected. */
export const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, []);
    if (found.length === 0 || found.some(({ address }) => !isPublicAddress(address))) return callback(new AddressError(hostname), []);
    if (options.all) return callback(null, found);
    const [first] = found;
    return callback(null, first?.address ?? '', first?.family);
  });
};
