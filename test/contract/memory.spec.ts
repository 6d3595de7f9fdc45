import { describe } from '@jest/globals';
import { memoryStore } from '../support/memory-store.js';
import { eventStoreContract } from './event-store.contract.js';
import { outboxContract } from './outbox.contract.js';
import { sessionListContract } from './session-list.contract.js';

describe('the event store in memory', () => eventStoreContract(async () => memoryStore().events));
describe('the session list in memory', () => sessionListContract(async () => memoryStore()));
describe('the outbox in memory', () => outboxContract(async () => memoryStore()));
