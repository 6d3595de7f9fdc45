import { afterAll, beforeAll, describe } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { PostgresAccounts } from '../../src/features/people/postgres-accounts.js';
import { PostgresTenantConfiguration } from '../../src/features/settings/postgres-tenant-configuration.js';
import { MemoryTenants } from '../support/memory-tenants.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { tenantConfigurationContract } from './tenant-configuration.contract.js';

let store: PostgresStore;

beforeAll(async () => {
  store = await postgresStore();
});
afterAll(() => store.close());

describe('in Postgres', () =>
  tenantConfigurationContract(async () => ({
    here: new PostgresTenantConfiguration(store.database),
    there: new PostgresTenantConfiguration(store.database),
    tenant: async () => (await new PostgresAccounts(store.database).createTenant(randomUUID(), 'admin')).tenantId,
  })));

describe('in memory', () =>
  tenantConfigurationContract(async () => {
    const tenants = new MemoryTenants();
    return { here: tenants, there: tenants, tenant: async () => randomUUID() };
  }));
