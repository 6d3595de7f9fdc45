import { DomainError } from '../../packages/protocol/errors.js';
import { type SettingsEdit, type StoredSettings, TenantConfiguration } from '../../src/ports/index.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../src/session/tenants/tenant-settings.js';

interface Known {
  readonly stored: StoredSettings;
  /** The version that has changed a section last, by its name. */
  readonly versions: Readonly<Record<string, number>>;
}

/** Settings of tenants, in memory. */
export class MemoryTenants extends TenantConfiguration {
  readonly #known = new Map<string, Known>();

  override async read(tenantId: string): Promise<TenantSettings> {
    return this.#of(tenantId).stored.settings;
  }

  override async change(
    tenantId: string,
    changes: Partial<TenantSettings>,
    unlessSet: Partial<TenantSettings> = {},
    { expected }: SettingsEdit = { by: null, expected: null },
  ): Promise<StoredSettings> {
    const { stored, versions } = this.#of(tenantId);
    const valueOf = (name: string): unknown => stored.settings[name as keyof TenantSettings];
    const missing = Object.entries(unlessSet).filter(([name]) => valueOf(name) === null);
    const changed = [
      ...missing,
      ...Object.entries(changes).filter(([name, value]) => versions[name] === undefined || JSON.stringify(valueOf(name)) !== JSON.stringify(value)),
    ];
    if (expected !== null && changed.some(([name]) => (versions[name] ?? 0) > expected)) throw new DomainError('version_conflict', 'changed since');
    const version = stored.version + Math.min(1, changed.length);
    const next = { settings: { ...stored.settings, ...Object.fromEntries(changed) }, version };
    this.#known.set(tenantId, { stored: next, versions: { ...versions, ...Object.fromEntries(changed.map(([name]) => [name, version])) } });
    return next;
  }

  #of(tenantId: string): Known {
    return this.#known.get(tenantId) ?? { stored: { settings: NO_TENANT_SETTINGS, version: 0 }, versions: {} };
  }
}
