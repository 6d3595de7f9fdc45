import { describe, expect, it } from '@jest/globals';
import { type TenantConfiguration } from '../../src/ports/index.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../src/session/tenants/tenant-settings.js';

export interface TenantConfigurationScene {
  /** Two processes that share what is stored. */
  readonly here: TenantConfiguration;
  readonly there: TenantConfiguration;
  /** A tenant that exists, and has decided nothing. */
  tenant(): Promise<string>;
}

export function tenantConfigurationContract(open: () => Promise<TenantConfigurationScene>): void {
  const everything: TenantSettings = {
    gates: { ultraplan: true, advisor: false },
    hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://x.example' }] }] },
    hookSecret: 'a secret',
    skills: { review: false },
    agents: { critic: { description: 'finds faults', prompt: 'Find them.', tools: ['Read'] } },
    plugins: { review: true },
    quotas: { tenant: { promptsPerDay: 5 }, users: { u: { sessions: 1 } } },
    models: { tenant: ['claude-*'], users: { u: [] } },
    upstreamKey: 'encrypted',
    mcpServers: { memory: { url: 'https://y.example', headers: { a: 'b' } } },
    instructions: 'Be brief.\u0000 “\ud83e\uddf5” \ud800',
    permissions: { allow: ['Read'], deny: ['Bash(rm *)'], ask: [] },
    bypassPermissions: false,
    memory: true,
    retentionDays: 30,
  };

  describe('settings of a tenant', () => {
    it('are the defaults until they are set', async () => {
      const { here, tenant } = await open();
      expect(await here.read(await tenant())).toEqual(NO_TENANT_SETTINGS);
    });

    it('are returned unchanged', async () => {
      const { here, there, tenant } = await open();
      const id = await tenant();
      expect(await here.change(id, everything)).toEqual(everything);
      expect(await here.read(id)).toEqual(everything);
      expect(await there.read(id)).toEqual(everything);
    });

    it('change only in the given sections, each as a whole', async () => {
      const { here, tenant } = await open();
      const id = await tenant();
      await here.change(id, everything);
      expect(await here.change(id, { gates: { advisor: true } })).toEqual({ ...everything, gates: { advisor: true } });
      expect(await here.change(id, { instructions: null, hookSecret: null, hooks: {} })).toEqual({
        ...everything,
        gates: { advisor: true },
        instructions: null,
        hookSecret: null,
        hooks: {},
      });
      expect(await here.change(id, {})).toMatchObject({ instructions: null, skills: { review: false } });
    });

    it('are separate for each tenant', async () => {
      const { here, tenant } = await open();
      const [one, other] = [await tenant(), await tenant()];
      await here.change(one, everything);
      expect(await here.read(other)).toEqual(NO_TENANT_SETTINGS);
    });

    it('are effective in other processes within about a second', async () => {
      const { here, there, tenant } = await open();
      const id = await tenant();
      expect((await there.read(id)).gates).toEqual({});
      await here.change(id, { gates: { ultraplan: true } });
      while (!(await there.read(id)).gates['ultraplan']) await new Promise((resolve) => setTimeout(resolve, 50));
    });

    it('can be set only if unset, and the first value wins', async () => {
      const { here, there, tenant } = await open();
      const id = await tenant();
      const ask = async (where: TenantConfiguration, hookSecret: string) => (await where.change(id, { gates: { ultraplan: true } }, { hookSecret })).hookSecret;
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(n % 2 ? here : there, `secret ${n}`)));
      expect(new Set(answers).size).toBe(1);
      expect(answers[0]).toMatch(/^secret \d$/);
      expect(await ask(here, 'another')).toBe(answers[0]);
      expect(await there.change(id, {})).toMatchObject({ gates: { ultraplan: true }, hookSecret: answers[0] });
      await here.change(id, { hookSecret: 'renewed' });
      expect(await ask(here, 'another')).toBe('renewed');
      await here.change(id, { hookSecret: null });
      expect(await ask(here, 'another')).toBe('another');
    });
  });
}
