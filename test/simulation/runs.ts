import { expect } from '@jest/globals';
import { simulate } from './simulate.js';

const { SIMULATION_SEED: only, SIMULATION_SEEDS: count, SIMULATION_SESSIONS, SIMULATION_PROMPTS } = process.env;
const FIRST = Number(only ?? 1);
export const SEEDS = Number(count ?? (only === undefined ? 300 : 1));
/** Sessions and prompts of a run: small by default, so that more combinations fit into the same time. */
const SIZE = { sessions: Number(SIMULATION_SESSIONS ?? 2), promptsPerSession: Number(SIMULATION_PROMPTS ?? 4) };

/** Failing runs that are reported; more say nothing new. */
const MOST_FAILURES = 5;

/** Runs the seeds with remainder `half` when divided by 2: two spec files share them, so that two workers run them. Each failure begins with the line that repeats it. */
export async function holdsInRuns(half: 0 | 1, faults: boolean): Promise<void> {
  const failed: string[] = [];
  let expected = 0;
  let turns = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS && failed.length < MOST_FAILURES; seed += 1) {
    if (seed % 2 !== half) continue;
    const result = await simulate({ seed, faults, ...SIZE });
    expected += SIZE.sessions;
    turns += result.turns;
    if (result.violations.length > 0) failed.push([repeats(seed), ...result.violations.slice(0, 3)].join('\n  '));
  }
  expect(failed).toEqual([]);
  expect(turns).toBeGreaterThanOrEqual(expected);
}

function repeats(seed: number): string {
  const sizes = [SIMULATION_SESSIONS && ` SIMULATION_SESSIONS=${SIMULATION_SESSIONS}`, SIMULATION_PROMPTS && ` SIMULATION_PROMPTS=${SIMULATION_PROMPTS}`];
  return `SIMULATION_SEED=${seed}${sizes.join('')} node scripts/jest.mjs --config jest.unit.config.mjs test/simulation`;
}
