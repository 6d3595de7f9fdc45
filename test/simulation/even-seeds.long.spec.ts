import { it } from '@jest/globals';
import { holdsInRuns, SEEDS } from './runs.js';

it(`has no violation in simulated runs without faults, the even ones of ${SEEDS} seeds`, () => holdsInRuns(0, false), 30 * 60_000);

it(`has no violation in simulated runs with faults, the even ones of ${SEEDS} seeds`, () => holdsInRuns(0, true), 30 * 60_000);
