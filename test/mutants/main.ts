import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { AREAS } from './areas.js';
import { eachOf } from './each-of.js';
import { isInFloor } from './floor.js';
import type { Mutant } from './mutant.js';
import { judged, needsDatabase, unmutated, type Verdict } from './nets.js';
import { problemOf } from './source.js';

/** `npm run mutants`: runs mutants through the tests and reports how many are noticed. Ends with 1 when one is not. */
const { values } = parseArgs({
  options: {
    /** Only these areas, with commas between. */
    area: { type: 'string', default: '' },
    /** Only mutants whose names contain this. */
    only: { type: 'string', default: '' },
    /** `2/6`: the second sixth, and so on round. */
    share: { type: 'string', default: '1/1' },
    /** Seeds of the simulation. */
    seeds: { type: 'string', default: '60' },
    workers: { type: 'string', default: String(availableParallelism()) },
    /** Results in Jest's format, for .ci/count.mjs. */
    outputFile: { type: 'string' },
    /** Only those of the floor. */
    floor: { type: 'boolean', default: false },
    /** Without the specs that mutants name. */
    simulated: { type: 'boolean', default: false },
    /** Whether the tests are known to pass without a mutant. */
    green: { type: 'boolean', default: false },
  },
});

interface Result {
  readonly area: string;
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  readonly seconds: number;
}

const [part = 1, parts = 1] = values.share.split('/').map(Number);
const all = AREAS.flatMap(({ name, mutants }) => mutants.map((mutant) => ({ area: name, mutant })));
const chosen = all
  .filter(
    ({ area, mutant }) => (values.area === '' || values.area.split(',').includes(area)) && mutant.name.includes(values.only) && mutant.equivalent === undefined,
  )
  .filter(({ area, mutant }) => !values.floor || isInFloor(area, mutant.name))
  .map(({ area, mutant }) => ({ area, mutant: values.simulated ? { ...mutant, specs: [] } : mutant }))
  .filter((_, index) => index % parts === part % parts);

const problems = all.map(({ mutant }) => problemOf(mutant)).filter((problem) => problem !== null);
if (problems.length > 0) end([`mutants that cannot be made:`, ...problems].join('\n'));
if (chosen.length === 0) end('there is no such mutant');

const database = chosen.some(({ mutant }) => needsDatabase(mutant.specs ?? [])) ? await startEmbeddedPostgres({ database: 'postgres', volatile: true }) : null;
const nets = { seeds: Number(values.seeds), databaseUrl: database?.url ?? '' };
const workers = Number(values.workers);
let wrong: Awaited<ReturnType<typeof unmutated>> = [];
try {
  const mutants = chosen.map(({ mutant }) => mutant);
  if (!values.green) wrong = await unmutated(mutants, nets, workers);
  if (wrong.length === 0) report(await results());
} finally {
  await database?.stop();
}
if (wrong.length > 0) end(['The tests fail without a mutant, too:', ...wrong.map(({ by, reason }) => `${by}: ${reason}`)].join('\n'));

async function results(): Promise<readonly Result[]> {
  const done: Result[] = [];
  await eachOf(chosen, workers, async ({ area, mutant }) => {
    const started = performance.now();
    const verdict = await judged(mutant, nets);
    const seconds = (performance.now() - started) / 1_000;
    done.push({ area, mutant, verdict, seconds });
    const outcome = verdict ? `noticed by ${verdict.by}: ${verdict.reason.slice(0, 140)}` : 'NOT NOTICED';
    process.stdout.write(`${mutant.name} [${area}, ${seconds.toFixed(1)} s]: ${outcome}\n`);
  });
  return done;
}

function report(done: readonly Result[]): void {
  const missed = done.filter(({ verdict }) => !verdict).map(({ mutant }) => mutant.name);
  const lines = AREAS.flatMap(({ name }) => {
    const own = done.filter(({ area }) => area === name);
    return own.length === 0 ? [] : [`${name}: ${own.filter(({ verdict }) => verdict).length} of ${own.length}`];
  });
  const share = (100 * missed.length) / done.length;
  process.stdout.write(`\n${lines.join('\n')}\n${done.length - missed.length} of ${done.length} mutants noticed: ${(100 - share).toFixed(1)} %\n`);
  if (missed.length > 0) process.stdout.write(`NOT NOTICED: ${missed.join('; ')}\n`);
  if (values.outputFile !== undefined) writeFileSync(values.outputFile, JSON.stringify(asJest(done)));
  process.exitCode = missed.length > 0 ? 1 : 0;
}

/** Each mutant is a test that passes when the mutant is noticed. */
function asJest(done: readonly Result[]): object {
  const assertionResults = done.map(({ area, mutant: { name }, verdict }) => ({ fullName: `${area}: ${name}`, status: verdict ? 'passed' : 'failed' }));
  return { testResults: [{ name: 'mutants', status: done.every(({ verdict }) => verdict) ? 'passed' : 'failed', assertionResults }] };
}

function end(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
