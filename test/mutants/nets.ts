import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eachOf } from './each-of.js';
import { isSql, type Mutant } from './mutant.js';
import { mutated, outputOf } from './patch.js';
import { ROOT } from './source.js';

/** Which tests noticed a mutant, and how; null: none did. */
export type Verdict = { readonly by: string; readonly reason: string } | null;

export interface Nets {
  /** Seeds of the simulation, each with and without faults. */
  readonly seeds: number;
  /** A server whose login may create databases. */
  readonly databaseUrl: string;
}

/** For specs that do not end; slow machines need a part of it. */
const LIMIT_MS = 10 * 60_000;

/** Seconds of processor time for the simulation: three times what it needs without a mutant. A loop without end is noticed by it, however busy the machine is. */
const processorSeconds = (seeds: number): number => 10 + seeds;

/** Runs the mutant through the nets, the cheapest first, until one notices it. */
export async function judged(mutant: Mutant, nets: Nets): Promise<Verdict> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mutant-'));
  const file = path.join(folder, isSql(mutant) ? 'mutant.sql' : 'mutant.js');
  try {
    writeFileSync(file, mutated(mutant));
    return (await simulationOf(mutant, file, nets.seeds)) ?? (await specsOf(mutant, file, nets.databaseUrl));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the nets of these mutants say about the code as it is, each spec on its own, as mutants run them: they must not fail without a mutant. */
export async function unmutated(mutants: readonly Mutant[], nets: Nets, workers: number): Promise<readonly NonNullable<Verdict>[]> {
  const runs: (() => Promise<Verdict>)[] = mutants.some(isSimulated) ? [() => simulation(nets.seeds)] : [];
  for (const spec of new Set(mutants.flatMap(({ specs = [] }) => specs)))
    runs.push(async () => {
      const verdict = await jest({}, [spec], { TEST_DATABASE_URL: nets.databaseUrl });
      return verdict && { by: spec, reason: verdict.reason };
    });
  const verdicts: Verdict[] = [];
  await eachOf(runs, workers, async (run) => void verdicts.push(await run()));
  return verdicts.filter((verdict) => verdict !== null);
}

const isSimulated = (mutant: Mutant): boolean => mutant.simulated !== false && !isSql(mutant);

const simulationOf = async (mutant: Mutant, file: string, seeds: number): Promise<Verdict> =>
  isSimulated(mutant) ? simulation(seeds, [outputOf(mutant), file]) : null;

async function simulation(seeds: number, replaced: readonly string[] = []): Promise<Verdict> {
  const run = await ended([path.join(ROOT, 'dist/test/mutants/simulated.js'), String(seeds), ...replaced], {}, processorSeconds(seeds));
  if (run.code === 0) return null;
  return {
    by: 'simulation',
    reason: run.signal === null || run.isLate ? reasonOf(run) : `it does not end: ${run.signal} after ${processorSeconds(seeds)} s of processor time`,
  };
}

async function specsOf(mutant: Mutant, file: string, databaseUrl: string): Promise<Verdict> {
  const { specs = [] } = mutant;
  if (specs.length === 0) return null;
  if (isSql(mutant)) return jest({}, specs, { TEST_DATABASE_URL: databaseUrl, TEST_TEMPLATE_SQL: file });
  const transform = { [`${escaped(path.relative(ROOT, outputOf(mutant)))}$`]: ['<rootDir>/dist/test/mutants/transform.js', { from: file }] };
  return jest(transform, specs, { TEST_DATABASE_URL: databaseUrl });
}

/** Specs that need no database, which takes longer to set up than they run. */
const WITHOUT_DATABASE = [
  'src/',
  'packages/',
  'test/simulation/',
  'test/commands/executor',
  'test/worker/',
  'test/contract/cached-sessions',
  'test/http/session-tail',
];

export const needsDatabase = (specs: readonly string[]): boolean => specs.some((spec) => !WITHOUT_DATABASE.some((start) => spec.startsWith(start)));

async function jest(transform: object, specs: readonly string[], env: NodeJS.ProcessEnv): Promise<Verdict> {
  const setup = needsDatabase(specs)
    ? { globalSetup: '<rootDir>/dist/test/support/global-setup.js', globalTeardown: '<rootDir>/dist/test/support/global-teardown.js' }
    : {};
  const config = {
    ...{ rootDir: ROOT, roots: ['<rootDir>/dist'], testMatch: ['**/*.spec.js'], transform, testTimeout: 120_000 },
    ...setup,
  };
  const patterns = specs.map((spec) => `dist/${spec}`);
  const args = [path.join(ROOT, 'scripts/jest.mjs'), '--config', JSON.stringify(config), '-i', '--bail', '--silent', '--testPathPatterns', ...patterns];
  const run = await ended(args, { PROPERTY_SCALE: '0.1', ...env });
  if (run.code === 0) return null;
  if (run.output.includes('No tests found')) throw new Error(`there is no spec ${patterns.join(' ')}`);
  return { by: 'specs', reason: /● (.+)/.exec(run.output)?.[1] ?? reasonOf(run) };
}

const escaped = (text: string): string => text.replaceAll(/[.\\/]/g, '\\$&');
const reasonOf = ({ output, isLate }: Ended): string => {
  const last = output.trim().split('\n').at(-1) ?? '';
  return isLate ? `it does not end within ${LIMIT_MS / 60_000} minutes; it said last: ${last}` : last;
};

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  /** It was ended after LIMIT_MS. */
  readonly isLate: boolean;
}

/** `seconds`: of processor time, after which the kernel ends it. */
function ended(args: readonly string[], env: NodeJS.ProcessEnv, seconds?: number): Promise<Ended> {
  const command = [process.execPath, ...args] as const;
  const [file, ...rest] = seconds === undefined ? command : (['sh', '-c', `ulimit -t ${Math.ceil(seconds)}; exec "$0" "$@"`, ...command] as const);
  return new Promise((resolve, reject) => {
    const child = spawn(file, rest, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGTERM');
    }, LIMIT_MS);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, output, isLate });
    });
  });
}
