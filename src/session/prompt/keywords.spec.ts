import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keywordsIn } from './keywords.js';

describe('watched words', () => {
  it.each([
    ['This is AWFUL.', true, false],
    ['it is still broken', true, false],
    ['that was still\n wrong', true, false],
    ['it is not; working hours are nine to five', false, false],
    ['read the trashcan module', false, false],
    ['a scrappy little dog', false, false],
    ['keep going', false, true],
    ['Please keep going, it is good', false, true],
    ['Go on!', false, true],
    ['let it go. On Monday we rest', false, false],
    ['continue', false, true],
    ['  Continue. ', false, true],
    ['continue the series with a prime', false, false],
    ['this sucks, but carry on', true, true],
    ['', false, false],
    ['???', false, false],
  ])('%s', (text, negative, keepGoing) => {
    expect(keywordsIn(text)).toEqual({ negative, keepGoing });
  });

  it('do not depend on case or on what stands around them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), fc.constantFrom('awful', 'AWFUL', 'Awful'), (left, right, word) => {
        expect(keywordsIn(`${left} ${word} ${right}`).negative).toBe(true);
      }),
    );
  });

  it('are found in a text of millions of letters in one go', () => {
    for (const part of ['a', "a'", ' ', 'go ', '-', 'é']) expect(keywordsIn(part.repeat(2_000_000)).negative).toBe(false);
  });
});
