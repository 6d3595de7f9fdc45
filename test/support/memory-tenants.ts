import { TenantConfiguration } from '../../src/ports/index.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../src/session/tenants/tenant-settings.js';

/** Settings of tenants, in memory. */
export class MemoryTenants extends TenantConfiguration {
  readonly #settings = new Map<string, TenantSettings>();

  override async read(tenantId: string): Promise<TenantSettings> {
    return this.#settings.get(tenantId) ?? NO_TENANT_SETTINGS;
  }

  override async change(tenantId: string, changes: Partial<TenantSettings>, unlessSet: Partial<TenantSettings> = {}): Promise<TenantSettings> {
    const known = this.#settings.get(tenantId);
    const missing = Object.entries(unlessSet).filter(([name]) => (known?.[name as keyof TenantSettings] ?? null) === null);
    const settings = { ...NO_TENANT_SETTINGS, ...known, ...Object.fromEntries(missing), ...changes };
    this.#settings.set(tenantId, settings);
    return settings;
  }
}
