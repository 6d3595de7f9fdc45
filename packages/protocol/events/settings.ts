import type { Json } from '../message/content.js';
import type { PermissionMode } from '../message/message.js';
import type { ModelOptions } from '../message/model-options.js';
import type { ClientTool } from '../message/tool-definition.js';
import { NO_RULES, type PermissionRules } from '../permissions/rule.js';

/** Settings of a session. All of them affect the payload except `title`, `permissionMode`, `permissions`, `metadata` and `archived`. */
export interface SessionSettings {
  readonly title: string | null;
  readonly model: string;
  readonly system: string | null;
  /** Named texts that the model reads before the conversation. */
  readonly context: Readonly<Record<string, string>>;
  /** Named values appended to the system prompt. */
  readonly systemContext: Readonly<Record<string, string>>;
  readonly permissionMode: PermissionMode;
  /** Rules for calls of server tools, in addition to those of the deployment and the tenant. */
  readonly permissions: PermissionRules;
  readonly tools: readonly ClientTool[];
  readonly metadata: { readonly [key: string]: Json };
  /** Kept out of the session list unless asked for; absent: false. */
  readonly archived?: boolean;
  /** Whether the conversation is compacted automatically when it nears the model's context window; null or absent: the server's default. */
  readonly autoCompact?: boolean | null;
  /** Days after the last change when its content is erased, unless the tenant's retention is shorter; null or absent: the tenant's. */
  readonly retentionDays?: number | null;
  /** Parameters of its requests to the model; null or absent: none. */
  readonly modelOptions?: ModelOptions | null;
}

export const NO_SETTINGS: SessionSettings = {
  title: null,
  model: '',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  permissions: NO_RULES,
  tools: [],
  metadata: {},
};
