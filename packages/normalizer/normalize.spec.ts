import { expect, it } from '@jest/globals';
import { contextOf, conversation, user } from '../../test/support/normalize/build.js';
import { NormalizationCache } from './normalization-cache.js';
import { normalize } from './normalize.js';

/** A block that no stored JSON can be: reading its type throws. */
const broken = {
  get type(): string {
    throw new Error('broken block');
  },
};

it.each([
  ['without a cache', undefined],
  ['with a cache', new NormalizationCache()],
])('names the pass that throws, %s', (_name, cache) => {
  expect(() => normalize(conversation(user([broken])), contextOf(), false, cache)).toThrow(
    expect.objectContaining({
      name: 'PassFailure',
      pass: 'reorder-attachments',
      message: expect.stringContaining('reorder-attachments'),
      cause: expect.any(Error),
    }),
  );
});
