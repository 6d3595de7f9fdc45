import type { Chance } from '../../support/random.js';
import type { ConnectionFault } from './connection-faults.js';
import type { DatabaseFault } from './database-faults.js';
import type { Layout } from './deployment.js';
import type { ModelFault } from './model-faults.js';
import type { ProcessFault } from './process-faults.js';

/** What can be injected. */
export type Fault = ProcessFault | DatabaseFault | ConnectionFault | ModelFault;

/** How often a fault occurs, relative to the others. Restarts are rare, because one costs as much time as ten other faults. */
export type Shares = Readonly<Partial<Record<Fault, number>>>;

const MODEL: Readonly<Record<ModelFault, number>> = {
  'model-400': 2,
  'model-429': 3,
  'model-500': 3,
  'model-529': 3,
  'model-page': 3,
  'model-cut': 4,
  'model-end': 4,
  'model-stall': 3,
  'model-garbage': 4,
  'model-bytes': 3,
  'model-silence': 3,
};
const CLIENTS: Shares = { 'client-cut': 5, 'client-lost-reply': 7, 'client-delay': 4, repeat: 7 };
const ANYWHERE: Shares = { ...MODEL, ...CLIENTS, clock: 7, freeze: 6, postmaster: 1, backend: 1, terminate: 8, exhaust: 3, halt: 4, disk: 2 };
const SEVERAL: Shares = { ...ANYWHERE, api: 1, worker: 2, server: 1, starting: 1, replace: 1, freeze: 8, silence: 5, cut: 8, 'lost-reply': 12, delay: 6 };

const SHARES: Readonly<Record<Layout, Shares>> = {
  embedded: { ...ANYWHERE, freeze: 3, server: 2, starting: 1, replace: 1 },
  postgres: SEVERAL,
  redis: { ...SEVERAL, redis: 2 },
};

/** The shares of a layout; with `only`, of these kinds. */
export function sharesOf(layout: Layout, only: readonly string[]): Shares {
  const all = Object.entries(SHARES[layout]) as [Fault, number][];
  return Object.fromEntries(all.filter(([kind]) => only.length === 0 || only.includes(kind)));
}

/** The faults in random order, by their shares. */
export function deck(chance: Chance, count: number, shares: Shares): readonly Fault[] {
  const once = (Object.entries(shares) as [Fault, number][]).flatMap(([kind, share]) => Array.from({ length: share }, () => kind));
  if (once.length === 0) return [];
  const repeated = Array.from({ length: Math.ceil(count / once.length) }, () => chance.shuffled(once));
  return repeated.flat().slice(0, count);
}

/** How many faults of each kind were injected. */
export function tableOf(counts: ReadonlyMap<Fault, number>): string {
  const rows = [...counts].toSorted().map(([kind, count]) => `  ${kind.padEnd(18)}${String(count).padStart(5)}`);
  return ['faults injected', ...rows].join('\n');
}
