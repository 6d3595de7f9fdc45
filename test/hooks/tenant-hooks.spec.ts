import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matcherOf, plainMatcherOf } from '../../src/engine/hooks/matcher.js';
import { isPublicAddress } from '../../src/platform/ssrf-guard/public-address.js';
import { faultsInTenantHooks } from '../../src/engine/hooks/tenant-hooks.js';

const TERMS = { timeoutMs: 10_000, maxHooks: 2, allowPrivate: false };
const https = { type: 'http', url: 'https://hooks.example.com/in' };
const faults = (hooks: object, terms = TERMS) => faultsInTenantHooks(hooks as never, terms);
const withHook = (hook: object, group: object = {}) => ({ Stop: [{ ...group, hooks: [hook] }] });

describe('hooks of a tenant', () => {
  it.each([
    ['one that will do', withHook({ ...https, headers: { authorization: 'Bearer x' }, timeout: 10 }), TERMS],
    ['an address inside, where that is allowed', withHook({ type: 'http', url: 'http://10.0.0.1:8080/' }), { ...TERMS, allowPrivate: true }],
    ['a matcher', withHook(https, { matcher: '^mcp__.*|Bash' }), TERMS],
  ])('take %s', (_name, hooks, terms) => {
    expect(faults(hooks, terms)).toEqual([]);
  });

  it.each([
    ['commands', withHook({ type: 'command', command: 'id' }), '/Stop/0/hooks/0/type', 'can only be configured by the operator'],
    ['an unknown event', { BeforeLunch: [] }, '/BeforeLunch', 'runs no hooks at this event'],
    ['no groups', { Stop: {} }, '/Stop', 'expected array'],
    ['http', withHook({ type: 'http', url: 'http://hooks.example.com' }), '/Stop/0/hooks/0/url', 'must begin with https://'],
    ['an address inside', withHook({ type: 'http', url: 'https://169.254.169.254/latest' }), '/Stop/0/hooks/0/url', 'public internet'],
    ['one written in another way', withHook({ type: 'http', url: 'https://0x7f.1/' }), '/Stop/0/hooks/0/url', 'public internet'],
    ['and in yet another', withHook({ type: 'http', url: 'https://[::ffff:7f00:1]/' }), '/Stop/0/hooks/0/url', 'public internet'],
    ['variables of the server', withHook({ ...https, allowedEnvVars: ['DATABASE_URL'] }), '/Stop/0/hooks/0/allowedEnvVars', 'by the operator'],
    ['a time without end', withHook({ ...https, timeout: 600 }), '/Stop/0/hooks/0/timeout', 'at most 10 seconds'],
    ['any expression', withHook(https, { matcher: '(a+)+$' }), '/Stop/0/matcher', 'may hold names'],
    ['their own host', withHook({ ...https, headers: { Host: 'internal' } }), '/Stop/0/hooks/0/headers/Host', 'is set by the server'],
    [
      'a forged signature',
      withHook({ ...https, headers: { 'Verbatim-Hook-Signature': 'x' } }),
      '/Stop/0/hooks/0/headers/Verbatim-Hook-Signature',
      'is set by the server',
    ],
    [
      'too many headers',
      withHook({ ...https, headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, ''])) }),
      '/Stop/0/hooks/0/headers',
      'more than 20',
    ],
    ['too many hooks', { Stop: [{ hooks: [https, https, https] }] }, '', 'at most 2'],
  ])('reject %s', (_name, hooks, pointer, text) => {
    expect(faults(hooks)).toEqual([{ pointer, text: expect.stringContaining(text) }]);
  });
});

describe('isPublicAddress', () => {
  it.each(['93.184.216.34', '1.1.1.1', '2606:4700::1111', '2a00:1450:4001:80b::200e'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '100.100.100.200',
      '127.0.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '192.0.0.192',
      '192.168.1.1',
      '198.18.0.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '168.63.129.16',
      '::',
      '::1',
      '::7f00:1',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b:1::1',
      '2002:7f00:1::',
      '2001::1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1',
      'fec0::1',
      'ff02::1',
      '4000::1',
    ],
    ...['2001:db8::1', '', 'localhost', '127.1', 'fe80::1%eth0'],
  ])('%p is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('matchers of tenants', () => {
  it.each(['(a+)+$', 'a+', '[ab]', 'a.b', '\\w', 'a{3}', '**', 'a^b', '$a'])('reject %p', (pattern) => {
    expect(plainMatcherOf(pattern)).toBeNull();
  });

  it('match as the same regular expression does', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 3 });
    const alternative = fc
      .tuple(fc.boolean(), fc.array(part, { minLength: 2, maxLength: 4 }), fc.boolean())
      .map(([start, parts, end]) => `${start ? '^' : ''}${parts.join('.*')}${end ? '$' : ''}`);
    fc.assert(
      fc.property(
        fc.array(alternative, { minLength: 1, maxLength: 3 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 8 }),
        (alternatives, subject) => {
          const pattern = alternatives.join('|');
          expect([pattern, plainMatcherOf(pattern)?.(subject)]).toEqual([pattern, new RegExp(pattern).test(subject)]);
        },
      ),
    );
  });

  it('match in linear time', () => {
    const matches = plainMatcherOf(`${'a.*'.repeat(300)}b$`)!;
    expect(matches('a'.repeat(100_000))).toBe(false);
  });

  it('allow any regular expression for the operator only', () => {
    expect(matcherOf('^(Edit|Write)$')?.('Write')).toBe(true);
    expect(matcherOf('(')).toBeNull();
  });
});
