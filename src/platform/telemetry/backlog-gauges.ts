import { Gauge, type Registry } from 'prom-client';
import type { Backlog } from '../../ports/index.js';
import { withinScrape } from './within-scrape.js';

type Reading = Awaited<ReturnType<Backlog['read']>>;

const GAUGES: readonly { readonly name: string; readonly help: string; readonly of: (reading: Reading) => number }[] = [
  { name: 'outbox_jobs', help: 'Committed jobs that are not in the queue yet, in all processes together.', of: ({ jobs }) => jobs },
  { name: 'outbox_oldest_seconds', help: 'Age of the oldest of these jobs.', of: ({ oldestJobSeconds }) => oldestJobSeconds },
  { name: 'prompts_waiting', help: 'Prompts that wait for a running turn, in all processes together.', of: ({ prompts }) => prompts },
];

/** Gauges that are read at each scrape; NaN when the database does not answer in time. */
export function backlogGauges(backlog: Backlog, registry: Registry, prefix: string): void {
  let pending: Promise<Reading | null> | null = null;
  const read = (): Promise<Reading | null> =>
    (pending ??= withinScrape(backlog.read()).finally(() => {
      pending = null;
    }));
  for (const { name, help, of } of GAUGES) {
    new Gauge({
      name: prefix + name,
      help,
      registers: [registry],
      async collect() {
        const reading = await read();
        this.set(reading ? of(reading) : Number.NaN);
      },
    });
  }
}
