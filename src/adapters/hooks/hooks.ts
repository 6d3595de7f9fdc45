import type { Fault } from '../../core/errors.js';
import { type Clock, type ConfiguredHook, type HookCall, Hooks, type TenantConfiguration } from '../../core/ports.js';
import { runCommandHook } from './command-hook.js';
import { type Hook, identityOf, shownUrl } from './definition.js';
import { runHttpHook } from './http-hook.js';
import type { Resolve } from './addresses.js';
import type { HookSettings, Scene } from './hook-context.js';
import { faultsInTenantHooks, tenantHooks, type TenantTerms } from './tenant-hooks.js';
import type { TenantSettings } from '../../core/tenants/tenant-settings.js';
import type { HookRun } from '../../core/hooks/hook-run.js';

/** The operator's hooks and the tenant's: every one that matches runs, side by side; the same one only once. Their runs come in the order they are configured in. */
export class MatchingHooks extends Hooks {
  constructor(
    private readonly deployment: readonly Hook[],
    private readonly tenants: TenantConfiguration,
    private readonly terms: TenantTerms & { readonly resolve?: Resolve },
    private readonly settings: HookSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(call: HookCall, signal: AbortSignal): Promise<readonly HookRun[]> {
    const { event, subject } = call;
    const configuration = await this.tenants.read(call.tenantId);
    const matching = [...this.deployment, ...tenantHooks(configuration, this.terms)].filter(
      (hook) => hook.event === event && (subject === undefined || hook.matches(subject)),
    );
    const distinct = new Map<string, Hook>();
    for (const hook of matching) if (!distinct.has(identityOf(hook))) distinct.set(identityOf(hook), hook);
    const scene = { call, settings: this.settings, clock: this.clock, signal };
    return Promise.all([...distinct.values()].map((hook) => this.#run(hook, configuration, scene)));
  }

  override async configured(tenantId: string): Promise<readonly ConfiguredHook[]> {
    const hooks = [...this.deployment, ...tenantHooks(await this.tenants.read(tenantId), this.terms)];
    return hooks.map((hook) => {
      const { source, event, matcher, type, timeoutMs } = hook;
      return { source, event, matcher, type, ...(hook.type === 'command' ? { command: hook.command } : { url: shownUrl(hook.url) }), timeoutMs };
    });
  }

  override faultsIn(hooks: TenantSettings['hooks']): readonly Fault[] {
    return faultsInTenantHooks(hooks, this.terms);
  }

  #run(hook: Hook, configuration: TenantSettings, scene: Scene): Promise<HookRun> {
    if (hook.type === 'command') return runCommandHook(hook, scene);
    if (hook.source === 'deployment') return runHttpHook(hook, { publicOnly: false, secret: null }, scene);
    const { allowPrivate, resolve } = this.terms;
    return runHttpHook(hook, { publicOnly: !allowPrivate, secret: configuration.hookSecret, ...(resolve ? { resolve } : {}) }, scene);
  }
}
