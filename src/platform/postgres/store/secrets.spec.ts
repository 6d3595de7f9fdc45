import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashOf, newSecret, secretKey } from './secrets.js';

const KINDS = ['vb', 'vbt', 'vbc', 'vbs', 'vbl'] as const;
const kinds = fc.constantFrom(...KINDS);
const tenants = fc.uuid();

it('a secret names its tenant, and is of one kind', () => {
  fc.assert(
    fc.property(kinds, kinds, tenants, (kind, other, tenantId) => {
      const secret = newSecret(kind, tenantId);
      expect(secret).toMatch(/^[\w-]+$/);
      expect(secretKey(kind, secret)).toEqual({ tenantId, hash: hashOf(secret) });
      if (other !== kind) expect(secretKey(other, secret)).toBeNull();
    }),
  );
});

it('the hash covers the tenant: put into the secret of another one, it is another secret', () => {
  fc.assert(
    fc.property(kinds, tenants, tenants, (kind, one, other) => {
      fc.pre(one !== other);
      const secret = newSecret(kind, one);
      const [, foreign] = newSecret(kind, other).match(/^(vb[a-z]?_.{22})/)!;
      expect(secretKey(kind, foreign! + secret.slice(foreign!.length))).toMatchObject({ tenantId: other });
      expect(secretKey(kind, foreign! + secret.slice(foreign!.length))!.hash.equals(hashOf(secret))).toBe(false);
    }),
  );
});

it('what is no secret has no key', () => {
  const near = newSecret('vb', '018f0000-0000-7000-8000-000000000000');
  fc.assert(fc.property(fc.string(), (text) => expect(secretKey('vb', text)).toBeNull()));
  for (const text of ['', 'vb_', near.slice(1), near.slice(0, -1), `${near}A`, `${near}\n`, near.replace('_', '-'), `vb_${near.slice(26)}`]) {
    expect(secretKey('vb', text)).toBeNull();
  }
});
