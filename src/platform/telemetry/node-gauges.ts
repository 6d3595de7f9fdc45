import { Gauge, type Registry } from 'prom-client';
import type { DatabaseNode, DatabaseNodes } from '../../ports/index.js';
import { withinScrape } from './within-scrape.js';

const GAUGES: readonly { readonly name: string; readonly help: string; readonly of: (node: DatabaseNode) => number | null }[] = [
  { name: 'node_up', help: 'Whether the node of a distributed database answers.', of: ({ isUp }) => Number(isUp) },
  {
    name: 'node_away_seconds',
    help: 'For how long this process has found it away.',
    of: ({ awaySince }) => (awaySince === null ? 0 : (Date.now() - awaySince.getTime()) / 1_000),
  },
  { name: 'node_shards', help: 'Its shards of tenants.', of: ({ shards }) => shards },
  { name: 'node_tenants', help: 'Tenants whose rows it has.', of: ({ tenants }) => tenants },
  { name: 'node_bytes', help: 'The size of its database.', of: ({ bytes }) => bytes },
];

/** Gauges of the nodes of a distributed database, by `node`, which are read at each scrape; no series when they cannot be read in time, because the coordinator does not answer. */
export function nodeGauges(nodes: DatabaseNodes, registry: Registry, prefix: string): void {
  for (const { name, help, of } of GAUGES) {
    new Gauge({
      name: prefix + name,
      help,
      labelNames: ['node'],
      registers: [registry],
      async collect() {
        const read = await withinScrape(nodes.read());
        this.reset();
        for (const node of read ?? []) {
          const value = of(node);
          if (value !== null) this.set({ node: node.name }, value);
        }
      },
    });
  }
}
