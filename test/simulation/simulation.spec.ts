import { expect, it } from '@jest/globals';
import { simulate } from './simulate.js';

const SEEDS = Number(process.env['SIMULATION_SEEDS'] ?? 300);
/** Sessions and prompts of a run: small by default, so that more combinations fit into the same time. */
const SIZE = { sessions: Number(process.env['SIMULATION_SESSIONS'] ?? 2), promptsPerSession: Number(process.env['SIMULATION_PROMPTS'] ?? 4) };
const FIRST = Number(process.env['SIMULATION_SEED'] ?? 1);

it(
  `holds its promises in ${SEEDS} simulated runs with faults`,
  async () => {
    const failed: string[] = [];
    let turns = 0;
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      const result = await simulate({ seed, ...SIZE });
      turns += result.turns;
      if (result.violations.length > 0)
        failed.push(
          `SIMULATION_SEED=${seed} SIMULATION_SEEDS=1 SIMULATION_SESSIONS=${SIZE.sessions} SIMULATION_PROMPTS=${SIZE.promptsPerSession} node scripts/jest.mjs dist/test/simulation\n  ${result.violations.slice(0, 3).join('\n  ')}`,
        );
      if (failed.length > 5) break;
    }
    expect(failed).toEqual([]);
    expect(turns).toBeGreaterThan(SEEDS);
  },
  30 * 60_000,
);

it('is a function of its seed', async () => {
  expect(await simulate({ seed: 7 })).toEqual(await simulate({ seed: 7 }));
});
