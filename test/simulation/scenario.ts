import { SIMULATED_SETTINGS } from './settings.js';

/** What a run is made of. Each seed has one of each kind, so that a few dozen runs meet every pair of them. */
export interface Scenario {
  /** Crashes, freezes, lost messages and the like. Without them every law holds without an excuse. */
  readonly faults: boolean;
  /** The setting TURN_DISPATCH of all processes. */
  readonly dispatch: 'direct' | 'queue';
  /** `split`: some processes answer clients, others run turns. */
  readonly roles: 'all' | 'split';
  readonly tenants: 1 | 2;
  /** The setting TENANT_CONCURRENCY. */
  readonly perTenant: number;
  /** The setting WORKER_CONCURRENCY. */
  readonly concurrency: number;
  /** Of the sessions that a process keeps: a small one holds one or two. */
  readonly cacheBytes: number;
  /** Whether processes are stopped and replaced. */
  readonly restarts: boolean;
  /** Whether the model calls `Agent`, also that of helpers. */
  readonly helpers: boolean;
  /** Whether tools write into a folder of the session that each process has on a disk of its own, and rewinds take files back. */
  readonly folders: boolean;
  readonly processes: number;
  readonly sessions: number;
  readonly promptsPerSession: number;
}

const ROOMY = SIMULATED_SETTINGS.TENANT_CONCURRENCY;

/** `given`: what the seed does not decide. */
export function scenarioOf(seed: number, given: Partial<Scenario>): Scenario {
  const kind = (every: number): boolean => seed % every === 0;
  return {
    faults: true,
    dispatch: kind(3) ? 'queue' : 'direct',
    roles: kind(7) ? 'split' : 'all',
    tenants: kind(5) ? 2 : 1,
    perTenant: kind(5) ? 1 : ROOMY,
    concurrency: kind(2) ? 2 : 8,
    cacheBytes: kind(11) || seed % 13 === 1 ? 20_000 : 50_000_000,
    restarts: seed % 4 === 1,
    helpers: seed % 11 === 5,
    folders: seed % 5 === 1 || seed % 5 === 2,
    processes: 3,
    sessions: 2,
    promptsPerSession: 4,
    ...given,
  };
}
