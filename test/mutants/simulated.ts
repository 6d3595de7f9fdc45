import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The simulation with one module replaced: `simulated.js SEEDS [OUTPUT FROM]`. Ends with 1 at the first violation, which it prints. */
const [seeds, output, from] = process.argv.slice(2);
if (output !== undefined && from !== undefined) register('./replaced-module.js', import.meta.url, { data: { url: pathToFileURL(output).href, from } });
// A mutant may leave an unhandled rejection: the production process would report it and continue.
process.on('unhandledRejection', (error) => fail(`unhandled: ${String(error)}`));

const { simulate } = await import('../simulation/simulate.js');
for (let seed = 1; seed <= Number(seeds); seed += 1)
  for (const faults of [false, true]) {
    const { violations } = await simulate({ seed, faults });
    if (violations.length > 0) fail(`seed ${seed}, ${faults ? 'with' : 'without'} faults: ${violations[0]}`);
  }
process.exit(0);

function fail(reason: string): never {
  process.stdout.write(`${reason.split('\n')[0]}\n`);
  process.exit(1);
}
