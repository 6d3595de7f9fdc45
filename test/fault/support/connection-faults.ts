import type { Chance } from '../../support/random.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import type { Deployment } from './deployment.js';
import type { Causes } from './causes.js';
import type { PassingFaults } from './passing-faults.js';

/** Of the connections between a process and its services, and between clients and a process. */
export type ConnectionFault =
  | 'silence' // open connections lose bytes, in one direction or both
  | 'cut' // connections break at any moment
  | 'lost-reply' // a connection breaks between what a request has done and its reply
  | 'delay' // bytes arrive late
  | 'client-cut'
  | 'client-lost-reply'
  | 'client-delay'
  | 'repeat'; // a request arrives twice, at any apis

/** The longest wait for a reply that is lost, in milliseconds. */
const REPLY_MS = 1_000;

export function connectionFaults(deployment: Deployment, passing: PassingFaults): Causes<ConnectionFault> {
  const surroundings = () => deployment.places.flatMap((place) => place.surroundings ?? []);
  const services = (): readonly FaultProxy[] => surroundings().flatMap(({ proxies }) => proxies);
  const clients = (): readonly FaultProxy[] => surroundings().map((own) => own.clients);

  const silence = (chance: Chance) => (chance.of(services())?.silence(chance.of(['both', 'requests', 'replies'] as const)) ?? 0) > 0;
  const cut = (proxy: FaultProxy | undefined): boolean => (proxy?.cut() ?? 0) > 0;
  const lostReply = (proxy: FaultProxy | undefined) => proxy?.cutAtReply(REPLY_MS) ?? false;
  const delayed = new Set<FaultProxy>();
  const delay = (proxy: FaultProxy | undefined, chance: Chance): boolean => {
    if (!proxy || delayed.has(proxy)) return false;
    delayed.add(proxy);
    const connections = proxy.delay(chance.between(20, 400));
    passing.endAfter(chance.between(200, 1_500), () => {
      proxy.delay(0);
      delayed.delete(proxy);
    });
    return connections > 0;
  };
  return {
    silence,
    cut: (chance) => cut(chance.of(services())),
    'lost-reply': (chance) => lostReply(chance.of(services())),
    delay: (chance) => delay(chance.of(services()), chance),
    'client-cut': (chance) => cut(chance.of(clients())),
    'client-lost-reply': (chance) => lostReply(chance.of(clients())),
    'client-delay': (chance) => delay(chance.of(clients()), chance),
    repeat: () => deployment.copies.next(REPLY_MS),
  };
}
