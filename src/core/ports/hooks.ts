import type { Fault } from '../errors.js';
import type { Json } from '../message/content.js';
import type { TenantSettings } from '../tenants/tenant-settings.js';
import type { HookRun } from '../hooks/hook-run.js';

/** Moments at which hooks run, under the names of the public hooks reference. */
export const HOOK_EVENTS = ['UserPromptSubmit', 'SessionStart', 'PreToolUse', 'PostToolUse', 'Stop', 'PreCompact'] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

export interface HookCall {
  readonly event: HookEvent;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly permissionMode: string;
  /** What a matcher is tried on, such as the tool's name. */
  readonly subject?: string;
  /** Further members of the JSON the hook reads, snake_case as in the public hooks reference. */
  readonly input: { readonly [key: string]: Json };
  readonly workload?: string;
}

export interface ConfiguredHook {
  /** Who wants it run. */
  readonly source: 'deployment' | 'tenant';
  readonly event: string;
  readonly matcher: string | null;
  readonly type: 'command' | 'http';
  readonly command?: string;
  /** Without what stands behind the question mark, which may be a key. */
  readonly url?: string;
  readonly timeoutMs: number;
}

export abstract class Hooks {
  /** Runs every matching hook side by side; one that fails, floods or hangs is an outcome, never an exception. */
  abstract run(call: HookCall, signal: AbortSignal): Promise<readonly HookRun[]>;
  /** The deployment's and the tenant's. */
  abstract configured(tenantId: string): Promise<readonly ConfiguredHook[]>;
  /** What keeps these hooks from being a tenant's; pointers begin at the event's name. */
  abstract faultsIn(hooks: TenantSettings['hooks']): readonly Fault[];
}
