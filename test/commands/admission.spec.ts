import { describe, expect, it } from '@jest/globals';
import { Admission } from '../../src/engine/commands/admission.js';
import { UsageStore } from '../../src/ports/index.js';
import type { Quotas, Used, Using } from '../../src/session/tenants/quotas.js';
import { MemoryTenants } from '../support/memory-tenants.js';

const DAY_MS = 86_400_000;
const ANN = { tenantId: 't', userId: 'ann' };
const BOB = { tenantId: 't', userId: 'bob' };

/** What the store has counted, read when the spec says so. */
class CountedUsage extends UsageStore {
  reads = 0;
  prompts = new Map<string, number>();
  endsAt = DAY_MS;
  gate: Promise<void> = Promise.resolve();
  override report = async (): Promise<never> => {
    throw new Error('not asked for');
  };

  override async today(_: string, of: readonly (string | null)[]) {
    this.reads += 1;
    const used = of.map((id) => this.#used(id));
    const endsAt = new Date(this.endsAt).toISOString();
    await this.gate;
    return { used, endsAt };
  }

  override async held(_: string, of: readonly (string | null)[]): Promise<readonly Used[]> {
    this.reads += 1;
    return of.map((id) => this.#used(id));
  }

  #used(id: string | null): Used {
    const all = [...this.prompts.values()].reduce((sum, count) => sum + count, 0);
    const count = id === null ? all : (this.prompts.get(id) ?? 0);
    return { promptsPerDay: count, sessions: count };
  }
}

async function setup(quotas: Quotas, refreshMs = 60_000) {
  const tenants = new MemoryTenants();
  await tenants.change('t', { quotas });
  const usage = new CountedUsage();
  const clock = { time: 0, now: () => clock.time };
  const admission = new Admission(tenants, usage, clock as never, { QUOTA_REFRESH_MS: refreshMs });
  const outcome = async (who: Using & { readonly tenantId: string }): Promise<string> => {
    try {
      const complete = await admission.prompt(who, false);
      usage.prompts.set(who.userId, (usage.prompts.get(who.userId) ?? 0) + 1);
      complete(true);
      return 'accepted';
    } catch (error) {
      const { code, details } = error as { readonly code?: string; readonly details?: { readonly scope: string } };
      return `${code} ${details?.scope}`;
    }
  };
  return { usage, clock, admission, outcome };
}

describe('admission', () => {
  it('reads nothing for a tenant without quotas', async () => {
    const { usage, outcome, admission } = await setup({ user: { storageBytes: 1 } });
    expect(await outcome(ANN)).toBe('accepted');
    await admission.session(ANN);
    expect(usage.reads).toBe(0);
  });

  it('accepts exactly the quota, of those that arrive together too, with one reading', async () => {
    const { usage, outcome } = await setup({ user: { promptsPerDay: 3 } });
    usage.prompts.set('ann', 1);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(ANN)));
    expect(outcomes.filter((one) => one === 'accepted')).toHaveLength(2);
    expect(usage.reads).toBe(1);
    expect(await outcome(BOB)).toBe('accepted');
  });

  it('counts what all users of the process have been given against the quota of the tenant', async () => {
    const { outcome } = await setup({ tenant: { promptsPerDay: 3 } });
    expect([await outcome(ANN), await outcome(BOB), await outcome(ANN), await outcome(BOB), await outcome(ANN)]).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'quota_exceeded tenant',
      'quota_exceeded tenant',
    ]);
  });

  it('counts what is on its way to the store, and not what was rejected after all', async () => {
    const { usage, admission, outcome } = await setup({ tenant: { promptsPerDay: 2 } });
    const complete = await admission.prompt(ANN, false);
    await admission.prompt(ANN, false);
    // A reading that has neither.
    expect(await outcome(BOB)).toBe('quota_exceeded tenant');
    complete(false);
    expect(await outcome(BOB)).toBe('accepted');
    expect(usage.prompts.size).toBe(1);
  });

  it('sees what other processes have accepted at the next reading', async () => {
    const { usage, outcome } = await setup({ user: { promptsPerDay: 2 } }, 0);
    expect(await outcome(ANN)).toBe('accepted');
    usage.prompts.set('ann', 2);
    expect(await outcome(ANN)).toBe('quota_exceeded user');
  });

  it('begins a new day when the old one ends, without waiting for the next reading to be due', async () => {
    const { usage, clock, outcome } = await setup({ user: { promptsPerDay: 1 } });
    expect([await outcome(ANN), await outcome(ANN)]).toEqual(['accepted', 'quota_exceeded user']);
    clock.time = DAY_MS;
    usage.endsAt = 2 * DAY_MS;
    usage.prompts.clear();
    expect(await outcome(ANN)).toBe('accepted');
  });

  it('rejects nothing for ever after a reading that failed', async () => {
    const { usage, outcome } = await setup({ user: { promptsPerDay: 1 } });
    usage.gate = Promise.reject(new Error('no database'));
    await expect(outcome(ANN)).resolves.toContain('undefined');
    usage.gate = Promise.resolve();
    expect(await outcome(ANN)).toBe('accepted');
  });

  it('counts for a token and for a session by themselves, whoever uses them', async () => {
    const { outcome } = await setup({ tokens: { key: { promptsPerDay: 1 } }, session: { promptsPerDay: 2 } });
    expect([await outcome({ ...ANN, tokenId: 'key' }), await outcome({ ...ANN, tokenId: 'key' }), await outcome({ ...ANN, tokenId: 'other' })]).toEqual([
      'accepted',
      'quota_exceeded token',
      'accepted',
    ]);
    const inSession = { sessionId: 's' };
    expect([await outcome({ ...ANN, ...inSession }), await outcome({ ...BOB, ...inSession }), await outcome({ ...BOB, ...inSession })]).toEqual([
      'accepted',
      'accepted',
      'quota_exceeded session',
    ]);
    expect(await outcome({ ...BOB, sessionId: 'another' })).toBe('accepted');
  });

  it('says when the quota is renewed', async () => {
    const { clock, admission } = await setup({ user: { promptsPerDay: 0 } });
    clock.time = DAY_MS - 1_500;
    await expect(admission.prompt(ANN, false)).rejects.toMatchObject({ details: { limit: 0, used: 0, resetsAt: '1970-01-02T00:00:00.000Z', retryAfter: 2 } });
  });
});
