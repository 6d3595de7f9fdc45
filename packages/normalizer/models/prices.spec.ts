import { describe, expect, it } from '@jest/globals';
import { PRICE_LIST } from './price-list.js';
import { costOf, costOfMiss, LIST_PRICES, pricedFamilies, pricesOf, UNKNOWN_PRICE } from './prices.js';

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
const MILLION = { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6, cacheWriteHour: 1e6 };

describe('prices', () => {
  it('are listed for families that exist', () => {
    expect(Object.keys(LIST_PRICES).filter((family) => !pricedFamilies().includes(family))).toEqual([]);
  });

  it('cost what the price list says, in billionths of a dollar', () => {
    const dollars = (family: string, tokens: Partial<typeof NONE>): number => costOf(LIST_PRICES, family, { ...NONE, ...tokens }) / 1e9;
    expect(dollars('claude-opus-5', { input: 1e6 })).toBe(5);
    expect(dollars('claude-opus-5', { output: 1e6 })).toBe(25);
    expect(dollars('claude-opus-5', { cacheRead: 1e6 })).toBe(0.5);
    expect(dollars('claude-opus-5', { cacheWrite: 1e6 })).toBe(6.25);
    expect(dollars('claude-opus-5', { cacheWriteHour: 1e6 })).toBe(10);
    expect(dollars('claude-opus-5-5', { cacheRead: 1e6 })).toBe(0.2);
    expect(costOf(LIST_PRICES, 'claude-haiku-5-5', { ...NONE, input: 1 })).toBe(100);
  });

  it('are higher for long prompts where the list says so; cached input counts', () => {
    const short = costOf(LIST_PRICES, 'claude-haiku-5-5', { ...NONE, input: 50_000, cacheRead: 50_000 });
    const long = costOf(LIST_PRICES, 'claude-haiku-5-5', { ...NONE, input: 50_001, cacheRead: 50_000 });
    expect(long / short).toBeCloseTo(5, 3);
  });

  it('have a source and a day each, and every family but those without a list price has one', () => {
    for (const { source, readOn } of PRICE_LIST) expect([source, readOn]).toEqual([expect.stringMatching(/./), expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
    expect(pricedFamilies().filter((family) => family !== 'unknown' && !(family in LIST_PRICES))).toEqual([]);
  });

  it('of an unknown model are the highest of the current ones', () => {
    for (const family of ['claude-fable-5-2', 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5']) {
      expect(costOf(LIST_PRICES, 'claude-next-1', MILLION)).toBeGreaterThanOrEqual(costOf(LIST_PRICES, family, MILLION));
    }
    expect(UNKNOWN_PRICE).toEqual(LIST_PRICES['claude-fable-5-2']);
    expect(costOf(LIST_PRICES, 'toString', MILLION)).toBe(costOf({ toString: UNKNOWN_PRICE } as never, 'toString', MILLION));
  });

  it('can be replaced, cache prices following the input price', () => {
    const prices = pricesOf({ 'claude-opus-5': { input: 2, output: 4 }, unknown: { input: 0, output: 0, cacheRead: 3 } });
    expect(prices['claude-opus-5']).toEqual({ input: 2, output: 4, cacheRead: 0.2, cacheWrite: 2.5, cacheWriteHour: 4 });
    expect(costOf(prices, 'anything', MILLION)).toBe(3e9);
    expect(prices['claude-opus-4']).toBe(LIST_PRICES['claude-opus-4']);
  });

  it('of a cache miss are what was paid for the tokens less what reading them costs, written tokens first', () => {
    const missed = (tokens: Partial<typeof NONE>, count: number, family = 'claude-opus-5'): number | null =>
      costOfMiss(LIST_PRICES, family, { ...NONE, ...tokens }, count);
    expect(missed({ cacheWrite: 2e6 }, 1e6)).toBe(5.75e9);
    expect(missed({ cacheWriteHour: 1e6 }, 1e6)).toBe(9.5e9);
    expect(missed({ input: 1e6 }, 1e6)).toBe(4.5e9);
    expect(missed({ input: 1e6, cacheWrite: 1e6 }, 2e6)).toBe(10.25e9);
    // A shorter request, such as one after a rewind, does not pay for what it does not send.
    expect(missed({ input: 1e6 }, 5e6)).toBe(4.5e9);
    expect(missed({ input: 60_000, cacheWrite: 60_000 }, 120_000, 'claude-haiku-5-5')).toBe(60_000 * 450 + 60_000 * 575);
    expect(missed({ input: 1e6 }, 1e6, 'claude-next-1')).toBeNull();
    expect(costOfMiss(pricesOf({ unknown: { input: 1, output: 1 } }), 'unknown', { ...NONE, input: 1e6 }, 1e6)).toBe(0.9e9);
  });
});
