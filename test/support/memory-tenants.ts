import { NO_TENANT_SETTINGS, TenantConfiguration, type TenantSettings } from '../../src/core/ports.js';

/** Settings of tenants, in memory. */
export class MemoryTenants extends TenantConfiguration {
  readonly #settings = new Map<string, TenantSettings>();

  override async read(tenantId: string): Promise<TenantSettings> {
    return this.#settings.get(tenantId) ?? NO_TENANT_SETTINGS;
  }

  override async change(tenantId: string, changes: Partial<TenantSettings>): Promise<TenantSettings> {
    const settings = { ...(await this.read(tenantId)), ...changes };
    this.#settings.set(tenantId, settings);
    return settings;
  }

  override async hookSecret(tenantId: string, fresh: string): Promise<string> {
    const { hookSecret } = await this.read(tenantId);
    if (hookSecret === null) await this.change(tenantId, { hookSecret: fresh });
    return hookSecret ?? fresh;
  }
}
