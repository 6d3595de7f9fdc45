import type { TenantSettings } from '../session/tenants/tenant-settings.js';

/** Settings as they were at one moment. */
export interface StoredSettings {
  readonly settings: TenantSettings;
  /** One more with each change; 0: never changed. */
  readonly version: number;
}

/** By whom settings are changed, and on which condition. */
export interface SettingsEdit {
  /** Null: the server. */
  readonly by: string | null;
  /** The version that was read: the change is rejected when a section of it has been changed since. Null: whatever it is. */
  readonly expected: number | null;
}

/** Sections of the settings that one request has changed. */
export interface SettingsChange {
  readonly version: number;
  readonly changedAt: string;
  /** The user; null: the server. */
  readonly changedBy: string | null;
  readonly sections: readonly string[];
}

export abstract class TenantConfiguration {
  /** At most one second stale. */
  abstract read(tenantId: string): Promise<TenantSettings>;
  /**
   * Replaces the given members, each as a whole; in effect in all processes within a second. `unlessSet`: members that are set only while they have no value; of
   * concurrent calls the first one wins, and all return its values. The version is the one that this change has made. Throws `version_conflict`.
   */
  abstract change(tenantId: string, changes: Partial<TenantSettings>, unlessSet?: Partial<TenantSettings>, edit?: SettingsEdit): Promise<StoredSettings>;
}

/** Who has changed the settings of tenants. */
export abstract class SettingsHistory {
  /** The settings as they are stored now. */
  abstract current(tenantId: string): Promise<StoredSettings>;
  /** The newest changes before version `before` (null: the newest of all), newest first. */
  abstract changes(tenantId: string, limit: number, before: number | null): Promise<readonly SettingsChange[]>;
}
