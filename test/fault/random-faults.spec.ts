import { describe } from '@jest/globals';
import { describeWhere } from '../support/only-where.js';
import { hasRedisServer } from '../support/redis-server.js';
import { injecting } from './support/random-faults.js';

describe('random faults in one process with its embedded database', () => injecting('embedded'));

describe('random faults in several processes on Postgres', () => injecting('postgres'));

describeWhere(hasRedisServer(), 'random faults with Redis: install redis-server')('random faults in several processes on Postgres and Redis', () =>
  injecting('redis'),
);
