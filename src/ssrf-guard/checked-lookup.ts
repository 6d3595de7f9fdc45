import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** The address is not one that this server lets itself be sent to. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
  readonly code = 'address_not_allowed';

  constructor(host: string) {
    super(`${host} is not at a public address, and this server does not call others.`);
  }
}

/** Throws AddressError for a host that is written as an address, and not a public one. Names pass: `checkedLookup` sees what they come to. */
export function requirePublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new AddressError(host);
}

/** Resolves a name for a socket: what is checked here is what the socket connects to. One address that is not public, and the name is refused. */
export const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, []);
    if (found.length === 0 || found.some(({ address }) => !isPublicAddress(address))) return callback(new AddressError(hostname), []);
    if (options.all) return callback(null, found);
    const [first] = found;
    return callback(null, first?.address ?? '', first?.family);
  });
};
