import { describe } from '@jest/globals';
import { injecting } from './support/random-faults.js';

describe('random faults in several processes on Postgres', () => injecting('postgres'));
