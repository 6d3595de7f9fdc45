import { describeWith, REDIS_SERVER } from '../support/needs.js';
import { injecting } from './support/random-faults.js';

describeWith(REDIS_SERVER)('random faults in several processes on Postgres and Redis', () => injecting('redis'));
