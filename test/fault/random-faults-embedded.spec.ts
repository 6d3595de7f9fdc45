import { describe } from '@jest/globals';
import { injecting } from './support/random-faults.js';

describe('random faults in one process with its embedded database', () => injecting('embedded'));
