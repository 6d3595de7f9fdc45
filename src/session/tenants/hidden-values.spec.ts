import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HIDDEN, withoutSecrets, withSecrets } from './hidden-values.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from './tenant-settings.js';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 3 });
const secrets = fc.dictionary(
  word,
  word.map((text) => `secret ${text}`),
  { maxKeys: 3 },
);
const url = word.map((host) => `https://${host}.example.com`);
const server = fc.record({ url, headers: secrets }, { requiredKeys: ['url'] });
const hook = fc.record({ type: fc.constant('http'), url, headers: secrets }, { requiredKeys: ['type', 'url'] });
const group = fc.record({ matcher: word, hooks: fc.array(hook, { maxLength: 2 }) }, { requiredKeys: ['hooks'] });

const settings: fc.Arbitrary<TenantSettings> = fc
  .record({
    hooks: fc.dictionary(word, fc.array(group, { maxLength: 2 })),
    mcpServers: fc.dictionary(word, server),
    hookSecret: fc.option(fc.constant('secret')),
  })
  // Hooks of one address share their headers, as the same hook does.
  .map(({ hooks, ...rest }) => ({ ...NO_TENANT_SETTINGS, ...rest, hooks: JSON.parse(JSON.stringify(hooks)) }) as TenantSettings)
  .filter(({ hooks }) => {
    const urls = [...JSON.stringify(hooks).matchAll(/"url":"([^"]*)"/g)].map(([, found]) => found);
    return new Set(urls).size === urls.length;
  });

describe('secrets of a tenant', () => {
  it('are never shown', () => {
    fc.assert(fc.property(settings, (stored) => expect(JSON.stringify(withoutSecrets(stored))).not.toContain('secret')));
  });

  it('are kept when what was shown comes back', () => {
    fc.assert(
      fc.property(settings, (stored) => {
        const { hooks, mcpServers } = withoutSecrets(stored);
        expect(withSecrets({ hooks, mcpServers }, stored)).toEqual({ changes: { hooks: stored.hooks, mcpServers: stored.mcpServers }, faults: [] });
      }),
    );
  });

  it('do not go to another address', () => {
    const stored = { ...NO_TENANT_SETTINGS, mcpServers: { one: { url: 'https://one', headers: { key: 'secret' } } } };
    const moved = { mcpServers: { one: { url: 'https://two', headers: { key: HIDDEN } } } };
    expect(withSecrets(moved, stored).faults).toMatchObject([{ pointer: '/mcpServers/one/headers/key' }]);
    const named = { mcpServers: { two: { url: 'https://one', headers: { key: HIDDEN } } } };
    expect(withSecrets(named, stored).faults).toHaveLength(1);
  });

  it('leave what is of no known shape alone', () => {
    const odd = { hooks: { Stop: 'x', Other: [null, { hooks: 3 }, { hooks: [null, { headers: 4 }] }] } } as unknown as Partial<TenantSettings>;
    expect(withSecrets(odd, NO_TENANT_SETTINGS)).toEqual({ changes: odd, faults: [] });
  });
});
