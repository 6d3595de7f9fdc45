import { NO_TENANT_SETTINGS, TenantConfiguration, type TenantSettings } from '../../src/core/ports.js';

/** Settings of tenants, in memory. */
export class MemoryTenants extends TenantConfiguration {
  readonly #settings = new Map<string, TenantSettings>();

  override async read(tenantId: string): Promise<TenantSettings> {
    return this.#settings.get(tenantId) ?? NO_TENANT_SETTINGS;
  }

  override async change(tenantId: string, changes: Partial<TenantSettings>): Promise<TenantSettings> {
    const settings = { ...(this.#settings.get(tenantId) ?? NO_TENANT_SETTINGS), ...changes };
    this.#settings.set(tenantId, settings);
    return settings;
  }

  override async hookSecret(tenantId: string, fresh: string): Promise<string> {
    const settings = this.#settings.get(tenantId) ?? NO_TENANT_SETTINGS;
    const hookSecret = settings.hookSecret ?? fresh;
    this.#settings.set(tenantId, { ...settings, hookSecret });
    return hookSecret;
  }
}
