import type { Json } from '../../../packages/protocol/message/content.js';
import type { ModelAccess } from './model-access.js';
import type { Quotas } from './quotas.js';
import { type PermissionRules, NO_RULES } from '../../../packages/protocol/permissions/rule.js';

/** How a helper works that the model asks for by the name of an agent. */
export interface AgentDefinition {
  /** What it is for; told to the model that may ask for it. */
  readonly description: string;
  /** The system prompt of the helper. */
  readonly prompt: string;
  /** Names of the tools that it may have, of those that its parent has; absent: all of these. */
  readonly tools?: readonly string[];
  /** Absent: the model of the parent. */
  readonly model?: string;
}

/** Settings of a tenant. Absent entries fall back to those of the deployment. */
export interface TenantSettings {
  /** Gates switched on or off, by name. */
  readonly gates: Readonly<Record<string, boolean>>;
  /** Hooks in the shape of `hooks` in the public settings file; type `http` only. */
  readonly hooks: { readonly [event: string]: Json };
  /** Signing key for calls of its hooks; null until hooks are set. */
  readonly hookSecret: string | null;
  /** Skills switched on or off, by name. */
  readonly skills: Readonly<Record<string, boolean>>;
  /** Plugins switched on, by name; off unless named. */
  readonly plugins: Readonly<Record<string, boolean>>;
  /** MCP servers by name. */
  readonly mcpServers: Readonly<Record<string, { readonly url: string; readonly headers?: Readonly<Record<string, string>> }>>;
  /** Instructions for the model in every session of the tenant; null: none. */
  readonly instructions: string | null;
  /** Rules for tool calls, in addition to those of the session. */
  readonly permissions: PermissionRules;
  /** Whether sessions can use the permission mode `bypassPermissions`; false: their calls are decided as in mode `default`. */
  readonly bypassPermissions: boolean;
  /** Whether the model keeps a memory for each user across their sessions. */
  readonly memory: boolean;
  /** Agents by name. */
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  /** Limits of the tenant and its users. */
  readonly quotas: Quotas;
  /** Models that the tenant and its users may ask. */
  readonly models: ModelAccess;
  /** The key for the model API that requests of the tenant go out with, encrypted; null: that of the deployment. */
  readonly upstreamKey: string | null;
  /** Days after the last change when the content of a session is erased; null: never. */
  readonly retentionDays: number | null;
}

export const NO_TENANT_SETTINGS: TenantSettings = {
  gates: {},
  hooks: {},
  hookSecret: null,
  skills: {},
  plugins: {},
  mcpServers: {},
  instructions: null,
  permissions: NO_RULES,
  bypassPermissions: true,
  memory: false,
  agents: {},
  quotas: {},
  models: {},
  upstreamKey: null,
  retentionDays: null,
};

/** Whether a tenant has enabled a plugin; null names no plugin and is always enabled. */
export function isPluginEnabled({ plugins }: Pick<TenantSettings, 'plugins'>, plugin: string | null): boolean {
  return plugin === null || (Object.hasOwn(plugins, plugin) && plugins[plugin] === true);
}
