import { describe, expect, it } from '@jest/globals';
import type { EvaluationContext, JsonValue, Provider, ResolutionDetails } from '@openfeature/server-sdk';
import { OpenFeatureGates } from '../../src/adapters/gates/openfeature-gates.js';
import { GATES, DEFAULT_NORMALIZE_GATES, DEFAULT_PROMPT_GATES } from '../../src/core/gates.js';
import { TenantConfiguration } from '../../src/core/ports.js';
import { MemoryTenants } from '../support/memory-tenants.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../src/core/tenants/tenant-settings.js';

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
  it('are as by default until somebody says otherwise', async () => {
    const gates = await OpenFeatureGates.create([], new MemoryTenants());
    expect(await gates.snapshot('t')).toEqual(DEFAULT_NORMALIZE_GATES);
    expect(await gates.intake('t')).toEqual(DEFAULT_PROMPT_GATES);
    expect(await gates.list('t')).toEqual(GATES.map((name) => ({ name, enabled: false, source: 'default' })));
  });

  it('are switched on by the deployment, and either way by a tenant', async () => {
    const tenants = new MemoryTenants();
    await tenants.change('t', { gates: { advisor: false, ultraplan: true } });
    const gates = await OpenFeatureGates.create(['advisor', 'history-snip'], tenants);
    expect(await gates.snapshot('t')).toEqual({ ...DEFAULT_NORMALIZE_GATES, 'history-snip': true });
    expect(await gates.intake('t')).toEqual({ ...DEFAULT_PROMPT_GATES, ultraplan: true });
    expect(await gates.snapshot('other')).toEqual({ ...DEFAULT_NORMALIZE_GATES, advisor: true, 'history-snip': true });
    const of = async (tenant: string) => Object.fromEntries((await gates.list(tenant)).map(({ name, source }) => [name, source]));
    expect(await of('t')).toMatchObject({ advisor: 'tenant', ultraplan: 'tenant', 'history-snip': 'deployment', 'auto-memory': 'default' });
  });

  it('come from one reading of the settings, however often those change', async () => {
    let read = 0;
    class Restless extends TenantConfiguration {
      override async read(): Promise<TenantSettings> {
        read += 1;
        return { ...NO_TENANT_SETTINGS, gates: Object.fromEntries(GATES.map((name) => [name, read % 2 === 1])) };
      }
      override change = () => this.read();
    }
    const gates = await OpenFeatureGates.create([], new Restless());
    for (let n = 0; n < 10; n += 1) expect(new Set(Object.values(await gates.snapshot('t'))).size).toBe(1);
  });

  it('cannot be switched on where there are none', async () => {
    await expect(OpenFeatureGates.create(['no-such'], new MemoryTenants())).rejects.toThrow(
      'GATES names what is no gate: no-such. There are: tool-reference-relocation,',
    );
  });

  it('may be another provider’s, tenant by tenant; what that cannot answer is as by default', async () => {
    const tenants = new MemoryTenants();
    await tenants.change('early', { gates: { ultraplan: false } });
    const gates = await OpenFeatureGates.create([], tenants, new OtherProvider());
    expect(await gates.intake('early')).toEqual({ ultraplan: false, 'auto-memory': true, 'memory-correction': true });
    expect(await gates.intake('late')).toEqual(DEFAULT_PROMPT_GATES);
    expect((await gates.list('early')).find(({ name }) => name === 'advisor')).toEqual({ name: 'advisor', enabled: false, source: 'default' });
  });
});
