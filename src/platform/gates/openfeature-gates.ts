import { type Client, InMemoryProvider, OpenFeature, type Provider, StandardResolutionReasons } from '@openfeature/server-sdk';
import {
  GATES,
  type Gate,
  DEFAULT_GATES,
  isGate,
  NORMALIZE_GATES,
  type NormalizeGates,
  PROMPT_GATES,
  type PromptGates,
} from '../../../packages/protocol/gates.js';
import { GateSource, type GateState, type TenantConfiguration } from '../../ports/index.js';
const DOMAIN = 'verbatim';

/** GATES names a gate that does not exist. */
export class GatesError extends Error {
  override readonly name = 'GatesError';
  readonly code = 'gate_unknown';
}

/**
 * Gates as OpenFeature flags; a tenant's own settings take precedence. All gates of one call are resolved from one read of these settings. The targeting key of an
 * evaluation is the tenant's id.
 */
export class OpenFeatureGates extends GateSource {
  private constructor(
    private readonly client: Client,
    private readonly tenants: TenantConfiguration,
  ) {
    super();
  }

  /** `on`: the gates that the deployment enables. A `provider` replaces them; gates that it does not define have their default. */
  static async create(on: readonly string[], tenants: TenantConfiguration, provider: Provider = flagsOf(on)): Promise<OpenFeatureGates> {
    await OpenFeature.setProviderAndWait(DOMAIN, provider);
    return new OpenFeatureGates(OpenFeature.getClient(DOMAIN), tenants);
  }

  override async snapshot(tenantId: string): Promise<NormalizeGates> {
    return valuesOf(await this.#states(tenantId, NORMALIZE_GATES));
  }

  override async intake(tenantId: string): Promise<PromptGates> {
    return valuesOf(await this.#states(tenantId, PROMPT_GATES));
  }

  override list(tenantId: string): Promise<readonly GateState[]> {
    return this.#states(tenantId, GATES);
  }

  async close(): Promise<void> {
    await OpenFeature.clearProviders();
  }

  async #states(tenantId: string, names: readonly Gate[]): Promise<readonly GateState[]> {
    const { gates } = await this.tenants.read(tenantId);
    return Promise.all(
      names.map(async (name) =>
        Object.hasOwn(gates, name) ? { name, enabled: gates[name] === true, source: 'tenant' as const } : this.#evaluate(tenantId, name),
      ),
    );
  }

  async #evaluate(tenantId: string, name: Gate): Promise<GateState> {
    const { value, variant, reason } = await this.client.getBooleanDetails(name, DEFAULT_GATES[name], { targetingKey: tenantId });
    const byDefault = variant === UNSET || reason === StandardResolutionReasons.ERROR;
    return { name, enabled: value, source: byDefault ? 'default' : 'deployment' };
  }
}

/** The variant of a gate that the deployment does not set. */
const UNSET = 'unset';

function flagsOf(on: readonly string[]): InMemoryProvider {
  const unknown = on.filter((name) => !isGate(name));
  if (unknown.length > 0) throw new GatesError(`GATES contains unknown gates: ${unknown.join(', ')}. Use: ${GATES.join(', ')}.`);
  const flags = GATES.map((name) => [
    name,
    { variants: { on: true, [UNSET]: DEFAULT_GATES[name] }, defaultVariant: on.includes(name) ? 'on' : UNSET, disabled: false },
  ]);
  return new InMemoryProvider(Object.fromEntries(flags));
}

function valuesOf<Name extends Gate>(states: readonly GateState[]): Readonly<Record<Name, boolean>> {
  return Object.fromEntries(states.map(({ name, enabled }) => [name, enabled])) as Record<Name, boolean>;
}
