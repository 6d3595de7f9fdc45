import { type Client, InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import { GateSource } from '../../core/ports.js';
import { DEFAULT_GATES, type Gate, GATES, type Gates } from '../../core/view/gates.js';

const DOMAIN = 'verbatim';

/** Gates as OpenFeature flags. Without another provider they are what the deployment switched on by name. */
export class OpenFeatureGates extends GateSource {
  private constructor(private readonly client: Client) {
    super();
  }

  static async create(on: readonly string[]): Promise<OpenFeatureGates> {
    const flags = GATES.map((gate) => [
      gate,
      { variants: { on: true, off: false }, defaultVariant: on.includes(gate) || DEFAULT_GATES[gate] ? 'on' : 'off', disabled: false },
    ]);
    await OpenFeature.setProviderAndWait(DOMAIN, new InMemoryProvider(Object.fromEntries(flags)));
    return new OpenFeatureGates(OpenFeature.getClient(DOMAIN));
  }

  async snapshot(tenantId: string): Promise<Gates> {
    const values = await Promise.all(
      GATES.map(async (gate): Promise<[Gate, boolean]> => [gate, await this.client.getBooleanValue(gate, DEFAULT_GATES[gate], { targetingKey: tenantId })]),
    );
    return Object.fromEntries(values) as Gates;
  }

  async close(): Promise<void> {
    await OpenFeature.clearProviders();
  }
}
