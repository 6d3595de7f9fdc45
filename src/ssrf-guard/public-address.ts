import ipaddr from 'ipaddr.js';

/** Looks public, but answers inside a cloud only, to the machine that asks (Azure's host agent). */
const ANSWERS_THE_MACHINE_ITSELF: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether an IP address belongs to the public internet: not this machine, its network, a cloud's metadata service, a multicast group, or a range that
 * stands for another address (mapped, translated and tunnelled ones). A text that is no address is none of the public internet either.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || ANSWERS_THE_MACHINE_ITSELF.has(address.toString())) return false;
  // Of IPv6, only 2000::/3 has been given out.
  return address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0] ?? 0) >> 13 === 1;
}
