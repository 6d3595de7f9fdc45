import { expect } from '@jest/globals';
import { RIGS } from '../../ops/rigs/index.js';
import { runRig } from '../../ops/rigs/run.js';
import { itWith, program } from '../support/needs.js';

/** The short form of each rig; the others, and the times without an answer: `npm run rig`. What other suites cover as well is left out. */
const IN_OTHER_SUITES: readonly string[] = ['pooler', 'replica', 's3'];
const PACKAGES: Readonly<Record<string, string>> = { etcd: 'etcd-server', pg_basebackup: 'postgresql' };
const SEED = Number(process.env['PROPERTY_SEED'] ?? Math.floor(Math.random() * 1e9));

for (const rig of RIGS.filter(({ name }) => !IN_OTHER_SUITES.includes(name))) {
  const needs = rig.programs.map((name) => program(name, `install ${name} (Debian: ${PACKAGES[name] ?? name})`));
  // oxlint-disable-next-line jest/valid-title
  itWith(...needs)(`${rig.name}, under load, loses no acknowledged prompt: ${rig.about}`, async () => {
    const lines = await runRig(rig, { seed: SEED, isShort: true });
    expect({ seed: SEED, wrong: lines.filter(({ problem }) => problem !== null) }).toEqual({ seed: SEED, wrong: [] });
  });
}
