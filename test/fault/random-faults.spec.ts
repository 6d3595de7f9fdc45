import { describe } from '@jest/globals';
import { describeWith, REDIS_SERVER } from '../support/needs.js';
import { injecting } from './support/random-faults.js';

describe('random faults in one process with its embedded database', () => injecting('embedded'));

describe('random faults in several processes on Postgres', () => injecting('postgres'));

describeWith(REDIS_SERVER)('random faults in several processes on Postgres and Redis', () => injecting('redis'));
