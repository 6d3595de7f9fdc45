import type { TenantSettings } from '../tenants/tenant-settings.js';

export abstract class TenantConfiguration {
  /** As of at most a second ago. */
  abstract read(tenantId: string): Promise<TenantSettings>;
  /**
   * Replaces the named members, each as a whole. In force everywhere within a second. `unlessSet`: members that are set where there is nothing yet; of several
   * that come at once the first one's stay, and all of them are answered with those.
   */
  abstract change(tenantId: string, changes: Partial<TenantSettings>, unlessSet?: Partial<TenantSettings>): Promise<TenantSettings>;
}
