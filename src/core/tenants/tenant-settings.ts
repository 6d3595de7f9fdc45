import type { Json } from '../message/content.js';
import { type PermissionRules, NO_RULES } from '../permissions/rule.js';

/** What a tenant has decided for itself; what is left out is as the deployment has it. */
export interface TenantSettings {
  /** NormalizeGates switched on or off, by name. */
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

export const NO_TENANT_SETTINGS: TenantSettings = {
  gates: {},
  hooks: {},
  hookSecret: null,
  skills: {},
  mcpServers: {},
  instructions: null,
  permissions: NO_RULES,
};
