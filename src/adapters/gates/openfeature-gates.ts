import { type Client, InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import { DEFAULT_INTAKE_GATES, INTAKE_GATES, type IntakeGates } from '../../core/intake/gates.js';
import { GateSource } from '../../core/ports.js';
import { DEFAULT_GATES, GATES, type Gates } from '../../core/view/gates.js';

const DOMAIN = 'verbatim';

const DEFAULTS: Readonly<Record<string, boolean>> = { ...DEFAULT_GATES, ...DEFAULT_INTAKE_GATES };

/** Gates as OpenFeature flags. Without another provider they are what the deployment switched on by name. */
export class OpenFeatureGates extends GateSource {
  private constructor(private readonly client: Client) {
    super();
  }

  static async create(on: readonly string[]): Promise<OpenFeatureGates> {
    const flags = Object.entries(DEFAULTS).map(([gate, fallback]) => [
      gate,
      { variants: { on: true, off: false }, defaultVariant: on.includes(gate) || fallback ? 'on' : 'off', disabled: false },
    ]);
    await OpenFeature.setProviderAndWait(DOMAIN, new InMemoryProvider(Object.fromEntries(flags)));
    return new OpenFeatureGates(OpenFeature.getClient(DOMAIN));
  }

  override async snapshot(tenantId: string): Promise<Gates> {
    return this.#values(tenantId, GATES);
  }

  override async intake(tenantId: string): Promise<IntakeGates> {
    return this.#values(tenantId, INTAKE_GATES);
  }

  async close(): Promise<void> {
    await OpenFeature.clearProviders();
  }

  async #values<Name extends string>(tenantId: string, names: readonly Name[]): Promise<Readonly<Record<Name, boolean>>> {
    const values = names.map(async (name) => [name, await this.client.getBooleanValue(name, DEFAULTS[name] ?? false, { targetingKey: tenantId })] as const);
    return Object.fromEntries(await Promise.all(values)) as Record<Name, boolean>;
  }
}
