import { setTimeout as pause } from 'node:timers/promises';
import { PatroniCluster, type PatroniNode } from './patroni.js';
import type { Fault, Rig } from './rig.js';

/** Longer than Patroni's ttl. */
const FROZEN_MS = 30_000;
/** So long all is as it should be, before and after a fault. */
const CALM_MS = 2_000;

export const ha: Rig = {
  name: 'ha',
  about: 'Patroni with a synchronous standby: its primary crashes, loses power, freezes and comes back, loses etcd; its standby is gone',
  programs: ['patroni', 'etcd', 'haproxy', 'pg_basebackup'],
  async start() {
    const cluster = await PatroniCluster.start();
    // One process through HAProxy, one with the addresses of all nodes: both are documented.
    const servers = [cluster.url, cluster.addresses].map((DATABASE_URL) => ({ DATABASE_URL }));
    return { servers, databaseUrl: cluster.url, faults: faultsOf(cluster), stop: () => cluster.stop() };
  },
};

function faultsOf(cluster: PatroniCluster): readonly Fault[] {
  const onPrimary = (name: string, isShort: boolean, break_: (primary: PatroniNode) => Promise<void>, repair: (old: PatroniNode) => Promise<void>): Fault => {
    let old: PatroniNode | undefined;
    return {
      name,
      isShort,
      inject: async () => {
        old = await cluster.primary();
        await break_(old);
        await cluster.replaced(old);
      },
      repair: async () => {
        await repair(old!);
        await cluster.whole();
      },
    };
  };
  return [
    { name: 'nothing is wrong', isShort: false, inject: () => pause(CALM_MS) },
    onPrimary(
      'the primary crashes',
      true,
      (primary) => primary.signalPostgres('SIGKILL'),
      async () => undefined,
    ),
    onPrimary(
      'the machine of the primary is lost',
      false,
      (primary) => primary.kill(),
      async (old) => old.start(),
    ),
    onPrimary(
      'the primary freezes',
      false,
      (primary) => primary.signal('SIGSTOP'),
      async (old) => {
        await pause(FROZEN_MS - CALM_MS);
        await old.signal('SIGCONT');
      },
    ),
    onPrimary(
      'the primary cannot reach etcd',
      false,
      (primary) => primary.etcd.refuse(),
      (old) => old.etcd.listen(),
    ),
    {
      name: 'the synchronous standby is lost',
      isShort: true,
      inject: async () => {
        const standby = await cluster.standby();
        await standby.kill();
        await pause(CALM_MS);
        standby.start();
      },
      repair: () => cluster.whole(),
    },
  ];
}
