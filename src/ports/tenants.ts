import type { TenantSettings } from '../session/tenants/tenant-settings.js';

export abstract class TenantConfiguration {
  /** At most one second stale. */
  abstract read(tenantId: string): Promise<TenantSettings>;
  /**
   * Replaces the given members, each as a whole; in effect in all processes within a second. `unlessSet`: members that are set only while they have no value; of
   * concurrent calls the first one wins, and all return its values.
   */
  abstract change(tenantId: string, changes: Partial<TenantSettings>, unlessSet?: Partial<TenantSettings>): Promise<TenantSettings>;
}
