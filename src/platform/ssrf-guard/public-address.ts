import ipaddr from 'ipaddr.js';

/** A public address that reaches the host agent inside Azure. */
const HOST_AGENTS: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether an IP address belongs to the public internet: not loopback, private, link-local (cloud metadata), multicast, or a range that embeds another address
 * (mapped, translated, tunnelled). False for a text that is not an IP address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || HOST_AGENTS.has(address.toString())) return false;
  // Only 2000::/3 of IPv6 is allocated as global unicast.
  return address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1;
}
