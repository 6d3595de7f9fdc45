import type { FieldError } from '../../../packages/protocol/errors.js';
import type { Hook } from './definition.js';
import { type HookRules, readHooks } from './hook-schemas.js';
import { isPublicAddress } from '../../platform/ssrf-guard/public-address.js';
import { literalAddress } from './addresses.js';
import type { TenantSettings } from '../../session/tenants/tenant-settings.js';

export interface TenantHookLimits {
  /** The longest timeout of a tenant's hook, and the default, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxHooks: number;
  /** Whether they may call private addresses, and without TLS. */
  readonly allowPrivate: boolean;
}

/**
 * The hooks that a tenant has configured. They were validated when they were written. Where the limits have become stricter since, a hook is kept: each of its
 * calls reports why it is not made, and its timeout is lowered to the limit.
 */
export function tenantHooks({ hooks }: TenantSettings, limits: TenantHookLimits): readonly Hook[] {
  const known = parsed.get(hooks);
  if (known) return known;
  const lenient = { ...rulesFor(limits), maxTimeoutMs: Infinity, maxHooks: null, urlFault: () => null };
  const found = readHooks(hooks, lenient).hooks.map((hook) => ({ ...hook, timeoutMs: Math.min(hook.timeoutMs, limits.timeoutMs) }));
  parsed.set(hooks, found);
  return found;
}

/** Tenant settings are cached objects, so the parsed hooks live as long as they do. */
const parsed = new WeakMap<TenantSettings['hooks'], readonly Hook[]>();

/** Why these hooks cannot be a tenant's. */
export function faultsInTenantHooks(hooks: TenantSettings['hooks'], limits: TenantHookLimits): readonly FieldError[] {
  return readHooks(hooks, rulesFor(limits)).faults;
}

function rulesFor({ timeoutMs, maxHooks, allowPrivate }: TenantHookLimits): HookRules {
  return {
    source: 'tenant',
    plugin: null,
    timeoutMs,
    maxTimeoutMs: timeoutMs,
    maxHooks,
    commands: false,
    anyMatcher: false,
    urlFault: (url) => (allowPrivate ? null : privateUrlFault(url)),
    environment: null,
  };
}

function privateUrlFault(url: URL): string | null {
  if (url.protocol !== 'https:') return 'must begin with https://, because calls carry what people write';
  const literal = literalAddress(url);
  return literal !== null && !isPublicAddress(literal)
    ? 'must be an address on the public internet, unless the operator allows others by HOOK_ALLOW_PRIVATE'
    : null;
}
