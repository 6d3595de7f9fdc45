import type { FieldError } from '../../../packages/protocol/errors.js';
import { type Clock, type ConfiguredHook, type HookCall, Hooks, type TenantConfiguration } from '../../ports/index.js';
import { runCommandHook } from './command-hook.js';
import { type Hook, identityOf, shownUrl } from './definition.js';
import { runHttpHook } from './http-hook.js';
import type { Resolve } from './addresses.js';
import type { HookSettings, HookContext } from './hook-context.js';
import { faultsInTenantHooks, tenantHooks, type TenantHookLimits } from './tenant-hooks.js';
import { isPluginEnabled, type TenantSettings } from '../../session/tenants/tenant-settings.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';

/** The operator's hooks and the tenant's. Matching hooks run concurrently, equal ones once; their runs are returned in the order of the configuration. */
export class MatchingHooks extends Hooks {
  constructor(
    private readonly deployment: readonly Hook[],
    private readonly tenants: TenantConfiguration,
    private readonly limits: TenantHookLimits & { readonly resolve?: Resolve },
    private readonly settings: HookSettings,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(call: HookCall, signal: AbortSignal): Promise<readonly HookRun[]> {
    const { event, subject } = call;
    const configuration = await this.tenants.read(call.tenantId);
    const matching = this.#hooksOf(configuration).filter((hook) => hook.event === event && (subject === undefined || hook.matches(subject)));
    const distinct = new Map<string, Hook>();
    for (const hook of matching) if (!distinct.has(identityOf(hook))) distinct.set(identityOf(hook), hook);
    if (distinct.size === 0) return [];
    const context = { call, folder: await this.#folderOf(call), settings: this.settings, clock: this.clock, signal };
    return Promise.all([...distinct.values()].map((hook) => this.#runHook(hook, configuration, context)));
  }

  override async configured(tenantId: string): Promise<readonly ConfiguredHook[]> {
    return this.#hooksOf(await this.tenants.read(tenantId)).map((hook) => {
      const { source, plugin, event, matcher, type, timeoutMs } = hook;
      return {
        source,
        ...(plugin === null ? {} : { plugin }),
        event,
        matcher,
        type,
        ...(hook.type === 'command' ? { command: hook.command } : { url: shownUrl(hook.url) }),
        timeoutMs,
      };
    });
  }

  override faultsIn(hooks: TenantSettings['hooks']): readonly FieldError[] {
    return faultsInTenantHooks(hooks, this.limits);
  }

  #hooksOf(configuration: TenantSettings): readonly Hook[] {
    return [...this.deployment.filter(({ plugin }) => isPluginEnabled(configuration, plugin)), ...tenantHooks(configuration, this.limits)];
  }

  async #folderOf(call: HookCall): Promise<string | null> {
    return (await this.settings.sandbox?.folder(call).catch(() => null)) ?? null;
  }

  #runHook(hook: Hook, configuration: TenantSettings, context: HookContext): Promise<HookRun> {
    if (hook.type === 'command') return runCommandHook(hook, context);
    if (hook.source === 'deployment') return runHttpHook(hook, { publicOnly: false, secret: null }, context);
    const { allowPrivate, resolve } = this.limits;
    return runHttpHook(hook, { publicOnly: !allowPrivate, secret: configuration.hookSecret, ...(resolve ? { resolve } : {}) }, context);
  }
}
