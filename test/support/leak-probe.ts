import { appendFileSync, readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Preloaded into a server with `--import`: on SIGUSR2 it collects garbage and appends what the process holds to the file named by LEAK_PROBE, as a line of JSON. */
export interface Held {
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly descriptors: number;
  /** Sockets, timers, threads and open requests, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  collect();
  // Finalizers run between two collections.
  setImmediate(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const resources: Record<string, number> = {};
    for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
    const held: Held = { heapBytes: heapUsed, externalBytes: external, descriptors: readdirSync('/proc/self/fd').length, resources };
    appendFileSync(process.env['LEAK_PROBE']!, `${JSON.stringify(held)}\n`);
  });
});
