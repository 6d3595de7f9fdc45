import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canTest, describeWith, itWith, LONG_TESTS, type Need } from './needs.js';

const met: Need = { isMet: true, remedy: 'install nothing' };
const unmet: Need = { isMet: false, remedy: 'install what is missing' };

describe('a test with needs', () => {
  const before = process.env['REQUIRE_ALL'];
  beforeEach(() => {
    delete process.env['REQUIRE_ALL'];
  });
  afterEach(() => {
    if (before === undefined) delete process.env['REQUIRE_ALL'];
    else process.env['REQUIRE_ALL'] = before;
  });

  it('runs where they are met', () => {
    expect([canTest('it'), canTest('it', met, met)]).toEqual([true, true]);
  });

  it('is skipped where one is not met', () => {
    expect(canTest('it', met, unmet)).toBe(false);
  });

  it('fails instead with REQUIRE_ALL=1, and says what to do', () => {
    process.env['REQUIRE_ALL'] = '1';
    expect(canTest('it', met)).toBe(true);
    expect(() => canTest('clock jumps', met, unmet)).toThrow(/clock jumps of .*needs\.spec.*install what is missing/);
  });

  it('is chosen by the functions that define tests', () => {
    expect(itWith(met)).toBe(it);
    expect(describeWith(met, met)).toBe(describe);
    expect(itWith(unmet)).toBe(it.skip);
    expect(describeWith(met, unmet)).toBe(describe.skip);
    process.env['REQUIRE_ALL'] = '1';
    expect(() => itWith(unmet)).toThrow(/install what is missing/);
    expect(() => describeWith(met, unmet)).toThrow(/install what is missing/);
  });

  it('may be a long round, which REQUIRE_ALL=1 leaves to choice, alone only', () => {
    process.env['REQUIRE_ALL'] = '1';
    expect(canTest('rounds', LONG_TESTS)).toBe(LONG_TESTS.isMet);
    expect(() => canTest('rounds', LONG_TESTS, unmet)).toThrow(/install what is missing/);
  });
});
