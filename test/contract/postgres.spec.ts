import { afterAll, beforeAll, describe } from '@jest/globals';
import { agedReceipts, postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { eventStoreContract } from './event-store.contract.js';
import { outboxContract } from './outbox.contract.js';
import { sessionListContract } from './session-list.contract.js';

let store: PostgresStore;

beforeAll(async () => {
  store = await postgresStore();
});
afterAll(() => store.close());

describe('the event store in Postgres', () =>
  eventStoreContract(
    async () => store.events,
    () => agedReceipts(store),
  ));
describe('the session list in Postgres', () => sessionListContract(async () => store));
describe('the outbox in Postgres', () => outboxContract(async () => store));
