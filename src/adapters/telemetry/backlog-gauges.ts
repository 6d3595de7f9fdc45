import { Gauge, type Registry } from 'prom-client';
import type { Backlog } from '../../core/ports.js';

type Reading = Awaited<ReturnType<Backlog['read']>>;

const FIGURES: readonly { readonly name: string; readonly help: string; readonly of: (reading: Reading) => number }[] = [
  { name: 'outbox_jobs', help: 'Jobs committed and not yet taken by the queue, in all processes together.', of: ({ jobs }) => jobs },
  { name: 'outbox_oldest_seconds', help: 'How long the oldest of them has waited.', of: ({ oldestJobSeconds }) => oldestJobSeconds },
  { name: 'prompts_waiting', help: 'Prompts behind a running turn, in all processes together.', of: ({ prompts }) => prompts },
];

/** The other figures must not wait for a database that is away. */
const PATIENCE_MS = 1_000;

/** Gauges that are read when somebody asks for them; without an answer they are NaN, which says that nobody knows. */
export function backlogGauges(backlog: Backlog, registry: Registry, prefix: string): void {
  let asked: Promise<Reading | null> | null = null;
  const ask = (): Promise<Reading | null> =>
    (asked ??= inTime(backlog.read()).finally(() => {
      asked = null;
    }));
  for (const { name, help, of } of FIGURES) {
    new Gauge({
      name: prefix + name,
      help,
      registers: [registry],
      async collect() {
        const reading = await ask();
        this.set(reading ? of(reading) : Number.NaN);
      },
    });
  }
}

async function inTime(reading: Promise<Reading>): Promise<Reading | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), PATIENCE_MS)));
  return Promise.race([reading.catch(() => null), late]).finally(() => clearTimeout(timer));
}
