import { expect, it } from '@jest/globals';
import { conversation, image, result, runPass, text, user } from '../../../test/support/normalize/build.js';
import { expectBlocks } from '../../../test/support/normalize/pass-spec.js';
import { ERROR_WITHOUT_TEXT } from '../placeholders.js';
import { sanitizeErrorResults } from './sanitize-error-results.js';

it.each<[string, object[], object[]]>([
  ['moves an image out of a failed result', [result('x', [text('no'), image()], true)], [result('x', [text('no')], true), image()]],
  ['gives an empty failed result a text', [result('x', '', true)], [result('x', ERROR_WITHOUT_TEXT, true)]],
])('%s', (_what, before, after) => {
  expectBlocks('user', sanitizeErrorResults, before, after);
});

it('traces what it moves next to the result', () => {
  const { trace } = runPass(sanitizeErrorResults, conversation(user([result('x', [text('no'), image()], true)])));
  expect(trace).toEqual([
    ['changed', '0.0', '0.0'],
    ['moved', '0.0', '0.1'],
  ]);
});
