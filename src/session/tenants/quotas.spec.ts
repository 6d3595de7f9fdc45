import { describe, expect, it } from '@jest/globals';
import { countedFor, DAILY, HELD, limitedOf, quotaStates, usedUp } from './quotas.js';

const QUOTAS = {
  tenant: { promptsPerDay: 10 },
  user: { promptsPerDay: 3, sessions: 2 },
  users: { ann: { tokensPerDay: 5 } },
  tokens: { key: { dollarsPerDay: 1 } },
  session: { tokensPerDay: 7 },
  sessions: { long: { tokensPerDay: 70 } },
};
const ALL = [...DAILY, ...HELD];

describe('quotas', () => {
  it('are those of the tenant, and of each user; single users have their own', () => {
    expect(limitedOf(QUOTAS, { userId: 'bob' }, ALL)).toEqual([
      { scope: 'tenant', id: null, limits: { promptsPerDay: 10 } },
      { scope: 'user', id: 'bob', limits: { promptsPerDay: 3, sessions: 2 } },
    ]);
    expect(limitedOf(QUOTAS, { userId: 'ann' }, ALL)[1]).toEqual({ scope: 'user', id: 'ann', limits: { tokensPerDay: 5 } });
    expect(limitedOf({}, { userId: 'toString' }, ALL)).toEqual([]);
    expect(limitedOf({ users: {}, tokens: {}, sessions: {} }, { userId: 'constructor', tokenId: 'toString', sessionId: 'valueOf' }, ALL)).toEqual([]);
  });

  it('are those of single tokens besides, and of each session; single sessions have their own', () => {
    const scopes = (...[using, quotas = ALL]: [Parameters<typeof limitedOf>[1], typeof ALL?]) =>
      limitedOf(QUOTAS, using, quotas).map(({ scope, id }) => [scope, id]);
    expect(scopes({ userId: 'ann', tokenId: 'key', sessionId: 'short' }, [...DAILY])).toEqual([
      ['tenant', null],
      ['user', 'ann'],
      ['token', 'key'],
      ['session', 'short'],
    ]);
    expect(scopes({ userId: 'ann', tokenId: 'other' })).toEqual([
      ['tenant', null],
      ['user', 'ann'],
    ]);
    expect(limitedOf(QUOTAS, { userId: 'ann', sessionId: 'long' }, ['tokensPerDay'])[1]?.limits).toEqual({ tokensPerDay: 70 });
    expect(countedFor(QUOTAS, { userId: 'ann', tokenId: 'key', sessionId: 'short' })).toEqual(['key', 'short']);
    expect(countedFor({ tenant: { promptsPerDay: 1 } }, { userId: 'ann', tokenId: 'key', sessionId: 'short' })).toEqual([]);
  });

  it('are used up at the limit, the tenant first', () => {
    const limited = limitedOf(QUOTAS, { userId: 'bob' }, DAILY);
    expect(limitedOf(QUOTAS, { userId: 'ann' }, HELD)).toEqual([]);
    const upAt = (tenant: number, user: number) => usedUp(quotaStates(limited, [{ promptsPerDay: tenant }, { promptsPerDay: user }], DAILY));
    expect(upAt(9, 2)).toBeUndefined();
    expect(upAt(9, 3)).toEqual({ scope: 'user', quota: 'promptsPerDay', limit: 3, used: 3 });
    expect(upAt(10, 3)).toMatchObject({ scope: 'tenant' });
  });

  it('of zero admit nothing', () => {
    expect(usedUp(quotaStates([{ scope: 'tenant', id: null, limits: { sessions: 0 } }], [{}], HELD))).toEqual({
      scope: 'tenant',
      quota: 'sessions',
      limit: 0,
      used: 0,
    });
  });
});
