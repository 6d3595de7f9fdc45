import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ledgerOf } from '../../ops/rigs/ledger.js';
import { Load } from '../../ops/rigs/load.js';
import { RIGS } from '../../ops/rigs/index.js';
import { runRig } from '../../ops/rigs/run.js';
import { Servers } from '../../ops/rigs/servers.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { CITUS, itWith, program } from '../support/needs.js';
import { Chance } from '../support/random.js';

/** The short form of each rig; the others, and the times without an answer: `npm run rig`. Faults that other suites make as well, and the restore, which takes minutes, are left out. */
const BY_HAND: readonly string[] = ['pooler', 'sentinel', 'replica', 's3', 'restore'];
const PACKAGES: Readonly<Record<string, string>> = { etcd: 'etcd-server', pg_basebackup: 'postgresql' };
const SEED = Number(process.env['PROPERTY_SEED'] ?? Math.floor(Math.random() * 1e9));

for (const rig of RIGS.filter(({ name }) => !BY_HAND.includes(name))) {
  const programs = rig.programs.map((name) => program(name, `install ${name} (Debian: ${PACKAGES[name] ?? name})`));
  const needs = [...programs, ...(rig.isDistributed ? [CITUS] : [])];
  // oxlint-disable-next-line jest/valid-title
  itWith(...needs)(`${rig.name}, under load, loses no acknowledged prompt: ${rig.about}`, async () => {
    const lines = await runRig(rig, { seed: SEED, isShort: true });
    expect({ seed: SEED, wrong: lines.filter(({ problem }) => problem !== null) }).toEqual({ seed: SEED, wrong: [] });
  });
}

describe('the ledger of a rig', () => {
  let database: TestDatabase;
  let servers: Servers;
  beforeAll(async () => {
    database = await freshDatabase();
    servers = await Servers.start(database.ownerUrl, [{}]);
  });
  afterAll(async () => {
    await servers?.stop();
    await database?.drop();
  });

  it('names a prompt that was acknowledged and is not there, an event that was served and is not in the log, and nothing else', async () => {
    const load = new Load(servers, new Chance(SEED), 2);
    await load.start();
    await load.stop();
    const wrong = async () => (await ledgerOf(load, servers)).flatMap(({ label, problem }) => (problem === null ? [] : [label]));
    expect(await wrong()).toEqual([]);
    const [first, second] = load.told;
    second!.served.set(2, '{}');
    expect(await wrong()).toEqual(['events served, all in the log']);
    first!.prompts.push({ promptId: randomUUID(), sentAt: 0, acceptedAt: 0 });
    expect(await wrong()).toEqual(['kept, each answered once, audit valid', 'events served, all in the log']);
  });
});
