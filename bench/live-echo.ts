/** The second process of the live bus benchmark: answers every hint for `there` with one for `back`. */
import { pathToFileURL } from 'node:url';
import { PostgresLiveBus } from '../src/platform/live/postgres-live-bus.js';
import { RedisLiveBus } from '../src/platform/live/redis-live-bus.js';
import type { SharedLiveBus } from '../src/platform/live/shared-live-bus.js';

export interface EchoPlan {
  readonly backend: 'postgres' | 'redis';
  readonly url: string;
}

export function openBus(plan: EchoPlan, report: (problem: string, error: unknown) => void): SharedLiveBus {
  const options = { url: plan.url, report, bufferBytes: 64 * 1024 * 1024 };
  return plan.backend === 'redis' ? new RedisLiveBus({ ...options, channel: 'verbatim:bench' }) : new PostgresLiveBus(options);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const bus = openBus(JSON.parse(process.argv[2]!) as EchoPlan, (problem, error) => console.error(problem, error));
  bus.subscribe('there', (signal) => signal.kind === 'advanced' && bus.publish({ ...signal, sessionId: 'back' }));
  await bus.listening();
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}
