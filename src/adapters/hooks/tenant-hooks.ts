import type { Fault } from '../../core/errors.js';
import type { Hook } from './definition.js';
import { type HookTerms, readHooks } from './hook-schemas.js';
import { isPublicAddress } from '../../ssrf-guard/public-address.js';
import { literalAddress } from './addresses.js';
import type { TenantSettings } from '../../core/tenants/tenant-settings.js';

export interface TenantTerms {
  /** How long a tenant's hook may take, and takes when it says nothing, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxHooks: number;
  /** Whether they may call addresses inside the network, and without TLS. */
  readonly allowPrivate: boolean;
}

/**
 * The hooks a tenant has configured. They were checked when they were written; where the server has become stricter since, a hook is kept, so that each of its
 * calls says why it is not made, and takes no longer than it may by now.
 */
export function tenantHooks({ hooks }: TenantSettings, terms: TenantTerms): readonly Hook[] {
  const known = parsed.get(hooks);
  if (known) return known;
  const lenient = { ...termsFor(terms), maxTimeoutMs: Infinity, maxHooks: null, refuseUrl: () => null };
  const found = readHooks(hooks, lenient).hooks.map((hook) => ({ ...hook, timeoutMs: Math.min(hook.timeoutMs, terms.timeoutMs) }));
  parsed.set(hooks, found);
  return found;
}

/** Settings are handed out for a while before they are read again. */
const parsed = new WeakMap<TenantSettings['hooks'], readonly Hook[]>();

/** What keeps these hooks from being a tenant's. */
export function faultsInTenantHooks(hooks: TenantSettings['hooks'], terms: TenantTerms): readonly Fault[] {
  return readHooks(hooks, termsFor(terms)).faults;
}

function termsFor({ timeoutMs, maxHooks, allowPrivate }: TenantTerms): HookTerms {
  return {
    source: 'tenant',
    timeoutMs,
    maxTimeoutMs: timeoutMs,
    maxHooks,
    commands: false,
    anyMatcher: false,
    refuseUrl: (url) => (allowPrivate ? null : refusePrivate(url)),
    environment: null,
  };
}

function refusePrivate(url: URL): string | null {
  if (url.protocol !== 'https:') return 'must begin with https://, since it carries what people write';
  const literal = literalAddress(url);
  return literal !== null && !isPublicAddress(literal) ? 'must be an address on the public internet' : null;
}
