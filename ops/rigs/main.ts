import { parseArgs } from 'node:util';
import { HAS_CITUS } from '../../test/support/postgres-programs.js';
import { find } from '../../test/support/programs.js';
import { RIGS } from './index.js';
import { runRig } from './run.js';

const USAGE = `npm run rig -- NAME [--seed NUMBER] [--short]

${RIGS.map(({ name, about, programs }) => `  ${name.padEnd(10)} ${about} (${programs.join(', ')})`).join('\n')}
`;

/** Ends with 0 when every line of the table holds, 1 when one does not, 2 for wrong arguments or a missing program. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' }, short: { type: 'boolean' } } });
  const rig = RIGS.find(({ name }) => name === positionals[0]);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  if (!rig || positionals.length !== 1 || !Number.isSafeInteger(seed)) {
    process.stderr.write(USAGE);
    return 2;
  }
  const missing = rig.programs.filter((program) => find(program) === undefined);
  if (missing.length > 0) {
    process.stderr.write(`Install ${missing.join(', ')}: the rig ${rig.name} starts them.\n`);
    return 2;
  }
  if (rig.isDistributed && !HAS_CITUS) {
    process.stderr.write(`Install the extension Citus for the installed Postgres: the rig ${rig.name} uses it.\n`);
    return 2;
  }
  process.stdout.write(`${rig.name}, seed ${seed}\n`);
  const started = performance.now();
  const say = (text: string): void => void process.stdout.write(`${((performance.now() - started) / 1_000).toFixed(0).padStart(4)} s  ${text}\n`);
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort(new Error(`ended by ${signal}`)));
  const lines = await runRig(rig, { seed, isShort: values.short ?? false, signal: ended.signal }, say);
  const width = Math.max(...lines.map(({ label }) => label.length));
  for (const { label, value, problem } of lines) process.stdout.write(`${label.padEnd(width)}  ${value}${problem === null ? '' : `  WRONG: ${problem}`}\n`);
  return lines.some(({ problem }) => problem !== null) ? 1 : 0;
}

process.exitCode = await main();
