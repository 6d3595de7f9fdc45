import { describe, expect, it } from '@jest/globals';
import { DAILY, hasLimit, HELD, limitsOf, quotaStates, usedUp } from './quotas.js';

const QUOTAS = { tenant: { promptsPerDay: 10 }, user: { promptsPerDay: 3, sessions: 2 }, users: { ann: { tokensPerDay: 5 } } };

describe('quotas', () => {
  it('are those of the tenant, and of each user; single users have their own', () => {
    expect(limitsOf(QUOTAS, 'bob')).toEqual({ tenant: { promptsPerDay: 10 }, user: { promptsPerDay: 3, sessions: 2 } });
    expect(limitsOf(QUOTAS, 'ann').user).toEqual({ tokensPerDay: 5 });
    expect(limitsOf({}, 'toString')).toEqual({ tenant: {}, user: {} });
    expect(limitsOf({ users: {} }, 'constructor').user).toEqual({});
  });

  it('are used up at the limit, the tenant first', () => {
    const limits = limitsOf(QUOTAS, 'bob');
    expect(hasLimit(limits, DAILY)).toBe(true);
    expect(hasLimit(limitsOf(QUOTAS, 'ann'), HELD)).toBe(false);
    const upAt = (tenant: number, user: number) => usedUp(quotaStates(limits, { tenant: { promptsPerDay: tenant }, user: { promptsPerDay: user } }, DAILY));
    expect(upAt(9, 2)).toBeUndefined();
    expect(upAt(9, 3)).toEqual({ scope: 'user', quota: 'promptsPerDay', limit: 3, used: 3 });
    expect(upAt(10, 3)).toMatchObject({ scope: 'tenant' });
  });

  it('of zero admit nothing', () => {
    expect(usedUp(quotaStates({ tenant: { sessions: 0 }, user: {} }, { tenant: {}, user: {} }, HELD))).toEqual({
      scope: 'tenant',
      quota: 'sessions',
      limit: 0,
      used: 0,
    });
  });
});
