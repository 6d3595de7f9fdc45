import { describe, expect, it } from '@jest/globals';
import { NEXT_RELEASE, OTHER_RULES, staleChanges, WRONG_DIGEST, WRONG_KEEP } from './fault/support/builds.js';

describe('the builds that suites of faults make by changing this one', () => {
  // Those suites take minutes; a change that no longer fits the compiled code is told here.
  it('change texts that the compiled files contain', async () => {
    expect(await staleChanges([...NEXT_RELEASE, ...OTHER_RULES, WRONG_DIGEST, WRONG_KEEP])).toEqual([]);
  });
});
