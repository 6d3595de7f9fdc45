import { expect, it } from '@jest/globals';
import { holdsInRuns, SEEDS } from './runs.js';
import { simulate } from './simulate.js';

it(`has no violation in simulated runs without faults, the odd ones of ${SEEDS} seeds`, () => holdsInRuns(1, false), 30 * 60_000);

it(`has no violation in simulated runs with faults, the odd ones of ${SEEDS} seeds`, () => holdsInRuns(1, true), 30 * 60_000);

it('is a function of its seed', async () => {
  expect(await simulate({ seed: 7 })).toEqual(await simulate({ seed: 7 }));
});
