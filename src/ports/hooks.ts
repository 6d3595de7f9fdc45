import type { FieldError } from '../../packages/protocol/errors.js';
import type { Json } from '../../packages/protocol/message/content.js';
import type { TenantSettings } from '../session/tenants/tenant-settings.js';
import type { HookEvent } from '../../packages/protocol/hooks/hook-events.js';
import type { HookRun } from '../../packages/protocol/hooks/hook-run.js';

export interface HookCall {
  readonly event: HookEvent;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly permissionMode: string;
  /** The value that matchers are compared with, such as the tool's name. */
  readonly subject?: string;
  /** Further members of the hook's input, snake_case as in the public hooks reference. */
  readonly input: { readonly [key: string]: Json };
  readonly workload?: string;
}

export interface ConfiguredHook {
  /** Who configured it. */
  readonly source: 'deployment' | 'tenant';
  /** The plugin that brings it. */
  readonly plugin?: string;
  readonly event: string;
  readonly matcher: string | null;
  readonly type: 'command' | 'http';
  readonly command?: string;
  /** Without the query string, which may contain a key. */
  readonly url?: string;
  readonly timeoutMs: number;
}

export abstract class Hooks {
  /** Runs all matching hooks concurrently. Failures, excess output and timeouts are outcomes, never exceptions. */
  abstract run(call: HookCall, signal: AbortSignal): Promise<readonly HookRun[]>;
  /** Hooks of the deployment and of the tenant. */
  abstract configured(tenantId: string): Promise<readonly ConfiguredHook[]>;
  /** Why these hooks cannot be set for a tenant; pointers begin with the event's name. */
  abstract faultsIn(hooks: TenantSettings['hooks']): readonly FieldError[];
}
