import { Chance } from '../../test/support/random.js';
import { type Line, ledgerOf } from './ledger.js';
import { Load } from './load.js';
import type { Rig, RigOptions } from './rig.js';
import { Servers } from './servers.js';

/** Starts the rig, injects its faults under load one after the other, and returns the table. */
export async function runRig(rig: Rig, options: RigOptions, say: (text: string) => void = () => undefined): Promise<readonly Line[]> {
  const chance = new Chance(options.seed);
  const surroundings = await rig.start(options);
  let servers: Servers | undefined;
  try {
    say('the surroundings run');
    servers = await Servers.start(surroundings.databaseUrl, surroundings.servers);
    const load = new Load(servers, chance.apart('load'), options.isShort ? 4 : 8, surroundings.input);
    await load.start();
    const under = { servers, load, chance };
    for (const fault of surroundings.faults) {
      if (options.isShort && !fault.isShort) continue;
      options.signal?.throwIfAborted();
      say(fault.name);
      await load.during(fault.name, () => fault.inject(under));
      await fault.repair?.(under);
    }
    await load.stop();
    const silences = load.silences.map(({ name, milliseconds }) => ({
      label: `longest time without an answer: ${name}`,
      value: `${(milliseconds / 1_000).toFixed(1)} s`,
      problem: null,
    }));
    return [...(await ledgerOf(load, servers)), ...silences];
  } finally {
    await servers?.stop();
    await surroundings.stop();
  }
}
