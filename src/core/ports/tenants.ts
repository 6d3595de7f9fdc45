import type { Json } from '../message/content.js';

/** What a tenant has decided for itself; what is left out is as the deployment has it. */
export interface TenantSettings {
  /** Gates switched on or off, by name. */
  readonly gates: Readonly<Record<string, boolean>>;
  /** Hooks in the shape of the public settings file's `hooks`; of kind `http` only. */
  readonly hooks: { readonly [event: string]: Json };
  /** What calls of its hooks are signed with; null until it has any. */
  readonly hookSecret: string | null;
  /** Skills switched on or off, by name. */
  readonly skills: Readonly<Record<string, boolean>>;
  /** MCP servers by name. */
  readonly mcpServers: Readonly<Record<string, { readonly url: string; readonly headers?: Readonly<Record<string, string>> }>>;
  /** Told to the model in every session; null for nothing. */
  readonly instructions: string | null;
  /** Rules for tool calls, in front of the session's own. */
  readonly permissions: PermissionRules;
}

/** Which tool calls go through unasked, are refused, or need a person. A rule is a tool's name, or `Name(pattern)`. */
export interface PermissionRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
}

export const NO_RULES: PermissionRules = { allow: [], deny: [], ask: [] };

export const NO_TENANT_SETTINGS: TenantSettings = {
  gates: {},
  hooks: {},
  hookSecret: null,
  skills: {},
  mcpServers: {},
  instructions: null,
  permissions: NO_RULES,
};

export abstract class TenantConfiguration {
  /** As of at most a second ago. */
  abstract read(tenantId: string): Promise<TenantSettings>;
  /**
   * Replaces the named members, each as a whole. In force everywhere within a second. `unlessSet`: members that are set where there is nothing yet; of several
   * that come at once the first one's stay, and all of them are answered with those.
   */
  abstract change(tenantId: string, changes: Partial<TenantSettings>, unlessSet?: Partial<TenantSettings>): Promise<TenantSettings>;
}
