import { describe, expect, it } from '@jest/globals';
import type { EvaluationContext, JsonValue, Provider, ResolutionDetails } from '@openfeature/server-sdk';
import { OpenFeatureGates } from '../../src/platform/gates/openfeature-gates.js';
import { GATES, DEFAULT_NORMALIZE_GATES, DEFAULT_PROMPT_GATES } from '../../packages/protocol/gates.js';
import { TenantConfiguration } from '../../src/ports/index.js';
import { MemoryTenants } from '../support/memory-tenants.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../src/session/tenants/tenant-settings.js';

/** Somebody else's flags: on for one tenant, and one of them broken. */
class OtherProvider implements Provider {
  readonly metadata = { name: 'other' };
  readonly runsOn = 'server';

  async resolveBooleanEvaluation(flag: string, fallback: boolean, { targetingKey }: EvaluationContext): Promise<ResolutionDetails<boolean>> {
    if (flag === 'advisor') throw new Error('out of order');
    return { value: targetingKey === 'early' ? true : fallback, reason: 'TARGETING_MATCH' };
  }

  resolveStringEvaluation = async (_: string, value: string) => ({ value });
  resolveNumberEvaluation = async (_: string, value: number) => ({ value });
  resolveObjectEvaluation = async <T extends JsonValue>(_: string, value: T) => ({ value });
}

describe('gates', () => {
  it('have their defaults until they are set', async () => {
    const gates = await OpenFeatureGates.create([], new MemoryTenants());
    expect(await gates.snapshot('t')).toEqual(DEFAULT_NORMALIZE_GATES);
    expect(await gates.intake('t')).toEqual(DEFAULT_PROMPT_GATES);
    expect(await gates.list('t')).toEqual(GATES.map((name) => ({ name, enabled: false, source: 'default' })));
  });

  it('can be enabled by the deployment, and enabled or disabled by a tenant', async () => {
    const tenants = new MemoryTenants();
    await tenants.change('t', { gates: { advisor: false, ultraplan: true } });
    const gates = await OpenFeatureGates.create(['advisor', 'history-snip'], tenants);
    expect(await gates.snapshot('t')).toEqual({ ...DEFAULT_NORMALIZE_GATES, 'history-snip': true });
    expect(await gates.intake('t')).toEqual({ ...DEFAULT_PROMPT_GATES, ultraplan: true });
    expect(await gates.snapshot('other')).toEqual({ ...DEFAULT_NORMALIZE_GATES, advisor: true, 'history-snip': true });
    const of = async (tenant: string) => Object.fromEntries((await gates.list(tenant)).map(({ name, source }) => [name, source]));
    expect(await of('t')).toMatchObject({ advisor: 'tenant', ultraplan: 'tenant', 'history-snip': 'deployment', 'auto-memory': 'default' });
  });

  it('are resolved from one read of the settings', async () => {
    let read = 0;
    class Restless extends TenantConfiguration {
      override async read(): Promise<TenantSettings> {
        read += 1;
        return { ...NO_TENANT_SETTINGS, gates: Object.fromEntries(GATES.map((name) => [name, read % 2 === 1])) };
      }
      override change = async () => ({ settings: await this.read(), version: 1 });
    }
    const gates = await OpenFeatureGates.create([], new Restless());
    for (let n = 0; n < 10; n += 1) expect(new Set(Object.values(await gates.snapshot('t'))).size).toBe(1);
  });

  it('cannot be enabled if they do not exist', async () => {
    await expect(OpenFeatureGates.create(['no-such'], new MemoryTenants())).rejects.toThrow(
      'GATES contains unknown gates: no-such. Use: tool-reference-relocation,',
    );
  });

  it('can come from another provider, per tenant; undefined ones have their default', async () => {
    const tenants = new MemoryTenants();
    await tenants.change('early', { gates: { ultraplan: false } });
    const gates = await OpenFeatureGates.create([], tenants, new OtherProvider());
    expect(await gates.intake('early')).toEqual({ ultraplan: false, 'auto-memory': true, 'memory-correction': true });
    expect(await gates.intake('late')).toEqual(DEFAULT_PROMPT_GATES);
    expect((await gates.list('early')).find(({ name }) => name === 'advisor')).toEqual({ name: 'advisor', enabled: false, source: 'default' });
  });
});
