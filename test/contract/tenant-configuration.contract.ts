import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
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
      expect((await here.change(id, everything)).settings).toEqual(everything);
      expect(await here.read(id)).toEqual(everything);
      expect(await there.read(id)).toEqual(everything);
    });

    it('change only in the given sections, each as a whole', async () => {
      const { here, tenant } = await open();
      const id = await tenant();
      await here.change(id, everything);
      expect((await here.change(id, { gates: { advisor: true } })).settings).toEqual({ ...everything, gates: { advisor: true } });
      expect((await here.change(id, { instructions: null, hookSecret: null, hooks: {} })).settings).toEqual({
        ...everything,
        gates: { advisor: true },
        instructions: null,
        hookSecret: null,
        hooks: {},
      });
      expect((await here.change(id, {})).settings).toMatchObject({ instructions: null, skills: { review: false } });
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
      const ask = async (where: TenantConfiguration, hookSecret: string) =>
        (await where.change(id, { gates: { ultraplan: true } }, { hookSecret })).settings.hookSecret;
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => ask(n % 2 ? here : there, `secret ${n}`)));
      expect(new Set(answers).size).toBe(1);
      expect(answers[0]).toMatch(/^secret \d$/);
      expect(await ask(here, 'another')).toBe(answers[0]);
      expect((await there.change(id, {})).settings).toMatchObject({ gates: { ultraplan: true }, hookSecret: answers[0] });
      await here.change(id, { hookSecret: 'renewed' });
      expect(await ask(here, 'another')).toBe('renewed');
      await here.change(id, { hookSecret: null });
      expect(await ask(here, 'another')).toBe('another');
    });

    it('are changed on the condition that no section of the change has been changed since', async () => {
      const names = fc.constantFrom('instructions', 'retentionDays', 'memory') as fc.Arbitrary<'instructions' | 'retentionDays' | 'memory'>;
      const values = { instructions: ['a', 'b'], retentionDays: [1, 2], memory: [true, false] } as const;
      const step = fc.record({
        sections: fc.uniqueArray(names, { minLength: 1 }),
        value: fc.constantFrom(0, 1),
        back: fc.option(fc.nat(3)),
        isHere: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
          const { here, there, tenant } = await open();
          const id = await tenant();
          let version = 0;
          let now: Partial<TenantSettings> = {};
          const changedAt: Record<string, number> = {};
          for (const { sections, value, back, isHere } of steps) {
            const changes = Object.fromEntries(sections.map((name) => [name, values[name][value]!]));
            const changed = sections.filter((name) => now[name] !== changes[name]);
            const expected = back === null ? null : Math.max(0, version - back);
            const isRejected = expected !== null && changed.some((name) => (changedAt[name] ?? 0) > expected);
            const made = (isHere ? here : there).change(id, changes, {}, { by: null, expected });
            if (isRejected) {
              await expect(made).rejects.toMatchObject({ code: 'version_conflict' });
              continue;
            }
            now = { ...now, ...changes };
            if (changed.length > 0) version += 1;
            for (const name of changed) changedAt[name] = version;
            expect((await made).version).toBe(version);
          }
          const { settings } = await here.change(id, {});
          expect(settings).toEqual({ ...NO_TENANT_SETTINGS, ...now });
        }),
        { numRuns: 25 },
      );
    });

    it('are changed once, when several change the same section at once from the same version', async () => {
      const { here, there, tenant } = await open();
      const id = await tenant();
      const { version } = await here.change(id, { instructions: 'first' });
      const all = await Promise.allSettled(
        Array.from({ length: 6 }, (_, n) => (n % 2 ? here : there).change(id, { instructions: `of ${n}` }, {}, { by: null, expected: version })),
      );
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });
}
