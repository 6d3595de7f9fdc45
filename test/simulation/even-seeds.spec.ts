import { it } from '@jest/globals';
import { holdsInRuns, SEEDS } from './runs.js';

it(`has no violation in simulated runs with faults, the even ones of ${SEEDS} seeds`, () => holdsInRuns(0), 30 * 60_000);
